/** `text` as a PostgreSQL LIKE pattern that matches it anywhere. */
export const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
