/**
 * Compares settings that all processes of one product must share. A running product publishes hashes of its settings,
 * not their values.
 */
import { createHash } from 'node:crypto'
import { settings as declared, type Settings } from './settings.ts'

/** Settings that may differ between processes. */
const own: ReadonlySet<string> = new Set([
  'TIDEMARK_ROLE',
  'TIDEMARK_LANE_PROCESSES',
  'TIDEMARK_LANES',
  'TIDEMARK_DEMO',
  'TIDEMARK_TOKEN',
  'TIDEMARK_URL',
  'TIDEMARK_PROFILE',
  'XDG_CONFIG_HOME',
  'TIDEMARK_STORES_WAIT',
  'TIDEMARK_METRICS_PORT',
  'TIDEMARK_METRICS_HOST',
  'TIDEMARK_ANALYSTS_PORT',
  'TIDEMARK_ANALYSTS_HOST',
  'TIDEMARK_CRASH_AT',
  'HOST',
  'PORT',
  'PUBLIC_URL',
  'PATH',
  'NATS_SERVER_BIN',
  'BACKUP_ENDPOINT',
  'BACKUP_REGION',
  'BACKUP_ACCESS_KEY_ID',
  'BACKUP_SECRET_ACCESS_KEY',
  'LOG_LEVEL',
])

/** A hash of each shared setting, by name. */
export const printsOf = (settings: Settings): Record<string, string> =>
  Object.fromEntries(
    Object.entries(declared)
      .filter(([, { name }]) => !own.has(name))
      .map(([field, { name }]) => [name, printOf(name, settings[field as keyof Settings])]),
  )

const printOf = (name: string, value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify([name, value ?? null]))
    .digest('base64url')
    .slice(0, 16)

/** The names of settings that differ from the published hashes. */
export const differing = (settings: Settings, prints: Readonly<Record<string, string>>): string[] =>
  Object.entries(printsOf(settings)).flatMap(([name, print]) => (prints[name] === print ? [] : [name]))
