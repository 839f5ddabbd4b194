/** NUL, which PostgreSQL refuses, and unpaired surrogates, which are not valid text. */
export const isUnclean = (value: string): boolean => value.includes('\u0000') || !value.isWellFormed()

/** `name` as one step of a JSON pointer. */
export const pointerStep = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
