/** Facts about each cloud that need no call. */
import { t, type TSchema } from '#engine/value/schema.ts'
import { azureCloudNames } from '#streams/cloud/azure/session/cloud.ts'
import type { Provider } from '#streams/names.ts'

export interface CloudProfile {
  /** The credentials it accepts (decision G-20). */
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
    credentials: t.Object(
      {
        serviceAccount: t.Optional(Key),
        workloadIdentity: t.Optional(Key),
        attachedIdentity: t.Optional(
          t.Literal(true, { description: 'the service account of the machine; only if the operator allows it' }),
        ),
      },
      { minProperties: 1 },
    ),
  },
  azure: {
    credentials: t.Object({
      tenantID: Secret,
      clientID: Secret,
      clientSecret: t.Optional(Secret),
      certificate: t.Optional(
        t.String({ minLength: 1, maxLength: 16_384, description: 'PEM: the certificate and its private key' }),
      ),
      workloadIdentity: t.Optional(
        t.Literal(true, { description: 'the application trusts tokens of this installation for the organization' }),
      ),
      managedIdentity: t.Optional(
        t.Literal(true, {
          description: 'clientID is a managed identity of the machine; only if the operator allows it',
        }),
      ),
      cloud: t.Optional(t.Enum(azureCloudNames, { description: 'AzureCloud, the public one, by default' })),
      kubeconfigs: t.Optional(Kubeconfigs),
    }),
  },
}
