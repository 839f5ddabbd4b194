/** Columns that hold a secret, or what one is compared with, in whatever table: they leave the product in no export. A test holds it to all that are sealed. */
const secretColumns: ReadonlySet<string> = new Set([
  'code_hash',
  'credentials',
  'hash',
  'headers',
  'input',
  'password_hash',
  'pull_headers',
  'sealed',
  'secret',
  'secrets',
  'signing_secret',
  'token',
  'verifier_hash',
  'webhook_url',
])

const isSecret = (column: string): boolean => secretColumns.has(column)

/** A row as it may be handed out. */
export const withoutSecrets = (row: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !isSecret(column)))
