/** What a workflow of a recommendation would be: the same plan that one begun now is made of. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Plan, Step } from './entity.ts'

/** @throws Fault `missing` */
export function planFor(
  _em: EntityManager,
  _orgId: string,
  _recommendationId: string,
): Promise<{ plan: Plan; steps: Step[] }> {
  throw new Error('There are no plans yet.')
}
