/** Known gaps of sandboxes whose processes belong to the user of the tests: only root can become another user. */
export const ownUserGaps: readonly string[] =
  process.getuid?.() === 0 ? [] : ['ends children of another user at the time limit'];
