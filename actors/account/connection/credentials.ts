/** Credentials of accounts, in the form in which they are stored. */
import type { SealedColumn } from '#engine/seal.ts'
import { accountResealed } from '#streams/account/messages.ts'

export const credentialsSealed: SealedColumn = {
  table: 'cloud_account',
  column: 'credentials',
  isOfOrg: true,
  purpose: 'connect to a cloud',
  resealed: (row) => ({ subject: accountResealed, data: row }),
}
