/** Hears that an image is being brought or built. */
export type ImageTeller = (image: string) => void;

/** Tells it once for each image, since that may take minutes. */
export function createImageTeller(tell: (line: string) => void): ImageTeller {
  const told = new Set<string>();
  return (image) => {
    if (told.has(image)) return;
    told.add(image);
    tell(`Preparing the image ${image}, which may take minutes.`);
  };
}
