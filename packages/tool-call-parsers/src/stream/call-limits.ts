/** Largest call, in UTF-16 units of its body. */
export const maximumCallLength: number = 16 * 1024 * 1024;

/** Longest name of a tool where it is written as plain text. */
export const maximumNameLength = 256;
