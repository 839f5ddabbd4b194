/**
 * Columns with a secret, or with a value that a secret is compared with, in any table: no export contains them. A test
 * checks that all sealed columns are listed.
 */
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

/** A row without secrets, for exports. */
export const withoutSecrets = (row: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !isSecret(column)))
