/** Specs of policies, read by the schemas of their domains. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { PolicyDomain, SpecError } from '#actors/capability.ts'
import { policyDomains } from '#actors/index.ts'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { bodyInput } from '#http/edge/request/decode.ts'
import { badInput, type InputError } from '#http/edge/problem.ts'

const decoders = new Map(policyDomains.map(({ name, schema }) => [name, bodyInput(schema)]))

export const domainNames = policyDomains.map(({ name }) => name)

/** Undefined for one that only a newer version knows. */
export const findDomain = (name: string): PolicyDomain | undefined => policyDomains.find((one) => one.name === name)

/** A domain that a route takes. */
export const domainOf = (name: string): PolicyDomain => findDomain(name)!

/** Everything that is wrong with a spec; of the wrong shape, that alone. */
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

/** @param at where in the body it stands @throws Fault `invalid`, each error by its place */
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

/** The member `spec` of a body: whatever it is, the route has it read by `specErrors`. */
export const Spec = t.Unknown({
  shapes: policyDomains.map(({ schema }) => schema),
  description: policyDomains.map(({ name, summary }) => `${name}: ${summary}`).join(' '),
})

/** What a check of a spec answers. */
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
