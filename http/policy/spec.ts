/** Specs of policies, validated by the schemas of their domains. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { PolicyDomain, SpecError } from '#actors/capability.ts'
import { policyDomains } from '#actors/index.ts'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { bodyInput } from '#http/edge/request/decode.ts'
import { badInput, type InputError } from '#http/edge/problem.ts'
import { titledShape, type Keywords } from '#http/edge/request/keywords.ts'

const decoders = new Map(policyDomains.map(({ name, schema }) => [name, bodyInput(schema)]))

export const domainNames = policyDomains.map(({ name }) => name)

/** Undefined for a domain that only a newer version knows. */
export const findDomain = (name: string): PolicyDomain | undefined => policyDomains.find((one) => one.name === name)

/** The domain in a route's parameter, which has been validated. */
export const domainOf = (name: string): PolicyDomain => findDomain(name)!

/** All errors of a spec; if the shape is wrong, only those of the schema. */
export async function specErrors(
  domain: PolicyDomain,
  spec: unknown,
  em: EntityManager,
  orgId: string,
): Promise<readonly SpecError[]> {
  try {
    decoders.get(domain.name)!(spec)
  } catch (error) {
    const errors = error instanceof Fault ? (error.detail['errors'] as readonly InputError[] | undefined) : undefined
    if (!errors) throw error
    return errors.map(({ name, code, message }) => ({ path: name, code, message }))
  }
  return domain.check(spec as never, em, orgId)
}

/** @param at path of the spec in the body @throws Fault `invalid`, each error with its path */
export async function checkSpec(
  domain: PolicyDomain,
  spec: unknown,
  em: EntityManager,
  orgId: string,
  at = '/spec',
): Promise<void> {
  const errors = await specErrors(domain, spec, em, orgId)
  if (errors.length > 0)
    throw badInput(...errors.map(({ path, ...error }) => ({ in: 'body' as const, name: `${at}${path}`, ...error })))
}

/** The member `spec` of a body: any value here; the route validates it with `specErrors`. */
export const Spec = t.Unknown({
  shapes: policyDomains.map(({ name, schema }) => titledShape(name, 'Spec', schema as Keywords)),
  description: policyDomains.map(({ name, summary }) => `${name}: ${summary}`).join(' '),
})

/** The response to a validation of a spec. */
export const ValidationReply = t.Object({
  valid: t.Boolean(),
  errors: t.Array(
    t.Object({
      path: t.String({ description: 'JSON pointer into the spec; empty for the spec as a whole' }),
      code: t.String(),
      message: t.String(),
    }),
  ),
})

export const toValidationReply = (errors: readonly SpecError[]) => ({ valid: errors.length === 0, errors: [...errors] })
