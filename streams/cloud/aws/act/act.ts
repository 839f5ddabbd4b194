/** Looks at resources of AWS and changes them. */
import { verbCalls } from '#streams/cloud/resource/verb/carry-out.ts'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import type { AwsOptions } from '#streams/cloud/aws/session/session.ts'
import { kinds } from './index.ts'
import { atOf, type At } from './kind.ts'

export const { act, look } = verbCalls<AwsOptions, At>(
  kinds,
  (options, account, ref) => atOf(openAws(account, options), ref),
  ({ session }) => session.close(),
)
