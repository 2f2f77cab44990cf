// Search runs in a worker, which browsers refuse to start for pages that are read from disk.
// There, this stands in for it: the same script in a hidden frame. Messages are copied and
// arrive later, as those of a worker do.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.title = "search";
      document.documentElement.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.#later(this, MessageEvent, data);
      const script = inside.document.createElement("script");
      script.src = new URL(address, location.href).href;
      this.ready = new Promise((resolve) => {
        script.onload = resolve;
      });
      script.onerror = () => this.onerror?.(new ErrorEvent("error", { cancelable: true }));
      inside.document.documentElement.append(script);
    }
    #later(receiver, Kind, data) {
      const event = new Kind("message", { data: structuredClone(data) });
      setTimeout(() => {
        if (receiver === this) this.onmessage?.(event);
        receiver.dispatchEvent(event);
      });
    }
    postMessage(data) {
      const copy = structuredClone(data);
      void this.ready.then(() => {
        const inside = this.frame.contentWindow;
        if (inside) this.#later(inside, inside.MessageEvent, copy);
      });
    }
    terminate() {
      this.frame.remove();
    }
  };
}
