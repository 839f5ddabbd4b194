import { pino } from 'pino'
import type { Reporter } from '#engine/reporter.ts'

/** A logger that writes JSON lines to stderr. */
export const stderrLog = (level: string): Reporter => pino({ level, base: null }, pino.destination(2))
