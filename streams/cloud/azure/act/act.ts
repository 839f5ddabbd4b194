/** Looks at resources of Azure and changes them. */
import { verbCalls } from '#streams/cloud/resource/verb/carry-out.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import type { AzureOptions } from '#streams/cloud/azure/session/session.ts'
import { kinds } from './index.ts'
import { atOf, type At } from './kind.ts'

export const { act, look } = verbCalls<AzureOptions, At>(kinds, (options, account, ref) =>
  atOf(openAzure(account, options), ref),
)
