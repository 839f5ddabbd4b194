/** What each kind of question provides: the members that describe the change, and its answer. */
import { allocationDomain } from '#actors/attribution/allocation/allocation.ts'
import type { PolicyDomain } from '#actors/capability.ts'
import { governanceDomain } from '#actors/recommendation/policy/policy.ts'
import { taggingDomain } from '#actors/tagging/policy/policy.ts'
import { guardrailDomain } from '#actors/workflow/guard/guardrail.ts'
import { t, type Static, type TObject } from '#engine/value/schema.ts'
import type { Services } from '#http/edge/services.ts'
import { badInput } from '#http/edge/problem.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { checkSpec } from '#http/policy/spec.ts'
import type { GoOn } from '#http/what-if/concurrency.ts'
import { text } from '#streams/text.ts'
import { titledShape, type Keywords } from '#http/edge/request/keywords.ts'

/** Days, both included. */
export interface Days {
  from: string
  to: string
}

/** A validated question: of the caller's organization, limited to what the caller may see. */
export interface WhatIfRequest<C> extends Days {
  caller: Caller
  change: C
  services: Services
  /** Called before each part of the work. */
  goOn: GoOn
  /** Aborts work elsewhere. */
  signal: AbortSignal
}

interface KindDeclaration<C extends TObject, R extends TObject> {
  /** The value of `kind`. */
  name: string
  /** One sentence for the document. */
  summary: string
  /** Members of `change`; those of other kinds are refused. A member shared by two kinds must be the same in both. */
  change: C
  /** Without `tookMs`. */
  reply: R
  example: Static<C>
  /** An example response for the document. */
  answered: Static<R>
  /**
   * The default last day is today, because its inputs are available within the hour. Otherwise it is the last day with
   * complete costs.
   */
  untilToday?: true
  /** @throws Fault `invalid` for errors beyond the schema, `missing` */
  answer(asked: WhatIfRequest<Static<C>>): Promise<Static<R>>
}

/** A kind whose types were checked where it was declared. */
export interface WhatIfKind extends Pick<
  KindDeclaration<TObject, TObject>,
  'name' | 'summary' | 'change' | 'reply' | 'untilToday'
> {
  readonly example: unknown
  readonly answered: object
  answer(asked: WhatIfRequest<never>): Promise<object>
}

export const kind = <C extends TObject, R extends TObject>(declaration: KindDeclaration<C, R>): WhatIfKind =>
  declaration

export const id = (description: string) => text({ minLength: 1, maxLength: 64, description })

/** Domains of policies in questions. */
const domains = [governanceDomain, taggingDomain, allocationDomain, guardrailDomain]

/** Members of kinds about a policy: its changed spec, for a new policy or an existing one. */
export const policyChange = {
  policyID: t.Optional(id('tagging, allocation: the policy to evaluate the spec for; default: a new policy')),
  spec: t.Optional(
    t.Unknown({
      shapes: domains.map(({ name, schema }) => titledShape(name, 'Spec', schema as Keywords)),
      description: `${domains.map(({ name }) => name).join(', ')}: as in POST /policies`,
    }),
  ),
}

/** The spec of a question about policies, validated by its domain. @throws Fault `invalid`, each error with its path */
export async function specGiven(
  domain: PolicyDomain,
  { spec }: { spec?: unknown },
  { caller: { orgId }, services: { em } }: Pick<WhatIfRequest<unknown>, 'caller' | 'services'>,
): Promise<unknown> {
  if (spec === undefined) throw wrong('/change/spec', 'required', 'is required')
  await checkSpec(domain, spec, em, orgId, '/change/spec')
  return spec
}

/** Maximum resources of one question. */
export const resourcesMax = 500_000

/** For kinds that combine past days with current data. */
export const approximation = {
  approximate: t.Boolean({ description: 'whether some inputs are the current ones instead of past ones; see reasons' }),
  reasons: t.Array(t.String(), { description: 'sentences' }),
}

export const wrong = (name: string, code: string, message: string) => badInput({ in: 'body', name, code, message })
