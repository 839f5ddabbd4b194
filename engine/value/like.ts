/** `text` as a LIKE pattern of PostgreSQL that finds it anywhere. */
export const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
