/** A time for ClickHouse: UTC, to the millisecond. A number is milliseconds since 1970. */
export const clickhouseTime = (at: Date | number): string => new Date(at).toISOString().replace('T', ' ').slice(0, -1)
