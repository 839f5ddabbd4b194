import { uuidOf } from '#engine/value/id.ts'
import type { Provider } from '#streams/names.ts'

/** The id of a connected account: the same every time the organization connects it. */
export const accountId = (orgId: string, provider: Provider, externalId: string): string =>
  uuidOf(orgId, provider, externalId)
