/** What is known of each cloud without asking it. */
import { t, type TSchema } from '#engine/value/schema.ts'
import type { Provider } from '#streams/names.ts'

export interface CloudProfile {
  /** The credentials it takes (decision G-20). */
  credentials: TSchema
}

const Kubeconfigs = t.Record(t.String({ minLength: 1, maxLength: 1024 }), t.String({ maxLength: 262_144 }), {
  maxProperties: 100,
  description:
    'by cluster UID: a kubeconfig with a server, its certificates and a token, for clusters that the role cannot access',
})
const Secret = t.String({ minLength: 1, maxLength: 16_384 })
const Key = t.Union([Secret, t.Record(t.String(), t.Unknown())], {
  description: 'the JSON document, as an object or as text',
})

export const cloudProfiles: Readonly<Record<Provider, CloudProfile>> = {
  aws: {
    credentials: t.Object({ roleARN: Secret, externalID: Secret, kubeconfigs: t.Optional(Kubeconfigs) }),
  },
  gcp: {
    credentials: t.Object({ serviceAccount: t.Optional(Key), workloadIdentity: t.Optional(Key) }, { minProperties: 1 }),
  },
  azure: {
    credentials: t.Object({
      tenantID: Secret,
      clientID: Secret,
      clientSecret: t.Optional(Secret),
      kubeconfigs: t.Optional(Kubeconfigs),
    }),
  },
}
