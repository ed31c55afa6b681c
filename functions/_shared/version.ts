/**
 * The version that these functions are of, as package.json names it; a test holds the two together. It is told to
 * whoever asks, so that an operator sees which checkout was deployed.
 */
export const VERSION = "0.1.0";
