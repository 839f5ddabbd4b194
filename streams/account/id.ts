import { uuidOf } from '#engine/value/id.ts'
import type { Provider } from '#streams/names.ts'

/** The id of the account an organization connects: the same however often it does. */
export const accountId = (orgId: string, provider: Provider, externalId: string): string =>
  uuidOf(orgId, provider, externalId)
