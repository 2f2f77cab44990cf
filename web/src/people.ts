// Agreement with people, in a script of its own: only pages with judgements have it.
export { AgreementView } from "./agreement";
