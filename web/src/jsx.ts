// What JSX becomes; put into every module by the build.
export { Fragment, h } from "./dom";
