/** The credentials each cloud takes (decision G-20). They are sealed as soon as they are read, and never shown. */
import { Fault } from '#engine/fault.ts'
import { t, type TSchema } from '#engine/schema.ts'
import { bodyInput } from '#http/edge/decode.ts'
import { badInput, type InputError } from '#http/edge/problem.ts'
import type { Provider } from '#streams/names.ts'

const Secret = t.String({ minLength: 1, maxLength: 16_384 })
const Key = t.Union([Secret, t.Record(t.String(), t.Unknown())], { description: 'the JSON document, or its text' })

const schemas: Readonly<Record<Provider, TSchema>> = {
  aws: t.Object({ roleARN: Secret, externalID: Secret }),
  gcp: t.Object({ serviceAccount: t.Optional(Key), workloadIdentity: t.Optional(Key) }, { minProperties: 1 }),
  azure: t.Object({ tenantID: Secret, clientID: Secret, clientSecret: Secret }),
}

/** Any of them, as a body holds it before its provider is known. */
export const Credentials = t.Object(
  {},
  {
    additionalProperties: true,
    description:
      'aws { roleARN, externalID }, gcp { serviceAccount } or { workloadIdentity }, azure { tenantID, clientID, clientSecret }; never shown again',
  },
)

const decoders = {
  aws: bodyInput(schemas.aws),
  gcp: bodyInput(schemas.gcp),
  azure: bodyInput(schemas.azure),
}

/** `credentials` when they are of the shape `provider` takes. @throws Fault `invalid`, naming members of `/credentials` */
export function credentialsOf(provider: Provider, credentials: unknown): unknown {
  try {
    return decoders[provider](credentials)
  } catch (error) {
    const { detail } = Fault.from(error)
    if (!Array.isArray(detail['errors'])) throw error
    throw badInput(...(detail['errors'] as InputError[]).map((e) => ({ ...e, name: `/credentials${e.name}` })))
  }
}
