/** Characters that occur nowhere else, so that what becomes of them can be followed. */
export const sentinels: readonly string[] = ['\ue000', '\ue001', '\ue002', '\ue003'];
