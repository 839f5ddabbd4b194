/** NUL, which PostgreSQL refuses, and surrogates without their other half, which are no text. */
export const isUnclean = (value: string): boolean => value.includes('\u0000') || !value.isWellFormed()

/** `name` as one step of a JSON pointer. */
export const pointerStep = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
