import { pino } from 'pino'
import type { Reporter } from '#engine/reporter.ts'

/** JSON log lines on stderr. */
export const stderrLog = (level: string): Reporter => pino({ level, base: null }, pino.destination(2))
