/** The log of the engine; pino implements it. */
export interface Reporter {
  info(detail: object, message: string): void
  warn(detail: object, message: string): void
  error(detail: object, message: string): void
}
