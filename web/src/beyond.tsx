// What fixing errors would gain, and suspects in gold; in a script of its own.
export const nothing = 0;
