/** What is known of each cloud without asking it. */
import { t, type TSchema } from '#engine/schema.ts'
import type { Provider } from '#streams/names.ts'

export interface CloudProfile {
  /** The credentials it takes (decision G-20). */
  credentials: TSchema
}

const Secret = t.String({ minLength: 1, maxLength: 16_384 })
const Key = t.Union([Secret, t.Record(t.String(), t.Unknown())], { description: 'the JSON document, or its text' })

export const cloudProfiles: Readonly<Record<Provider, CloudProfile>> = {
  aws: {
    credentials: t.Object({ roleARN: Secret, externalID: Secret }),
  },
  gcp: {
    credentials: t.Object({ serviceAccount: t.Optional(Key), workloadIdentity: t.Optional(Key) }, { minProperties: 1 }),
  },
  azure: {
    credentials: t.Object({ tenantID: Secret, clientID: Secret, clientSecret: Secret }),
  },
}
