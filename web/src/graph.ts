// Drawings, in a script of their own: only pages that draw have it.
export { ArcDiagram, OverlayView, Terms } from "./overlay";
export { Units } from "./units";
