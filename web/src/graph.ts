// The layout of graphs, in a script of its own: only pages with graphs have it.
import dagre from "@dagrejs/dagre";
import type { Laid, Sketch } from "./overlay";

function laidOut({ nodes, edges }: Sketch): Laid {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ nodesep: 18, ranksep: 30, edgesep: 10, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  nodes.forEach(({ width, height }, i) => graph.setNode(String(i), { width, height }));
  edges.forEach(({ source, target, width, height }, i) => {
    graph.setEdge(String(source), String(target), { width, height, labelpos: "c", minlen: 1 }, String(i));
  });
  dagre.layout(graph);
  const whole = graph.graph() as { width?: number; height?: number };
  return {
    width: whole.width ?? 0,
    height: whole.height ?? 0,
    nodes: nodes.map((_, i) => {
      const { x, y } = graph.node(String(i)) as { x: number; y: number };
      return { x, y };
    }),
    edges: edges.map(({ source, target }, i) => {
      const found = graph.edge(String(source), String(target), String(i)) as { points: { x: number; y: number }[]; x?: number; y?: number };
      return { points: found.points, x: found.x ?? 0, y: found.y ?? 0 };
    }),
  };
}

(globalThis as { karatLayout?: (sketch: Sketch) => Laid }).karatLayout = laidOut;
