(globalThis.karatParts??={}).beyond=shared=>{
var made=(()=>{var n=Object.defineProperty;var h=Object.getOwnPropertyDescriptor;var p=Object.getOwnPropertyNames;var c=Object.prototype.hasOwnProperty;var s=(r,t)=>{for(var o in t)n(r,o,{get:t[o],enumerable:!0})},g=(r,t,o,a)=>{if(t&&typeof t=="object"||typeof t=="function")for(let e of p(t))!c.call(r,e)&&e!==o&&n(r,e,{get:()=>t[e],enumerable:!(a=h(t,e))||a.enumerable});return r};var m=r=>g(n({},"__esModule",{value:!0}),r);var f={};s(f,{nothing:()=>d});var d=0;return m(f);})();
return made};
