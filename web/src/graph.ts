// Drawings, in a script of their own: only pages that draw have it.
export { ArcDiagram, OverlayView, Terms, Written } from "./overlay";
export { Units } from "./units";
