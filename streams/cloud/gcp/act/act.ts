/** Looks at resources of Google Cloud and changes them. */
import { verbCalls } from '#streams/cloud/resource/verb/carry-out.ts'
import { openGcp } from '#streams/cloud/gcp/session/session.ts'
import type { GcpOptions } from '#streams/cloud/gcp/session/token.ts'
import { kinds } from './index.ts'
import { atOf, type At } from './kind.ts'

export const { act, look } = verbCalls<GcpOptions, At>(kinds, (options, account, ref) =>
  atOf(openGcp(account, options), ref),
)
