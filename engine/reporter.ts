/** The engine's log lines; pino fits. */
export interface Reporter {
  info(detail: object, message: string): void
  warn(detail: object, message: string): void
  error(detail: object, message: string): void
}
