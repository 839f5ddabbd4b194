/** All that resources were ever like. */
import type { Sight } from '#actors/workflow/entity.ts'
import type { Real } from '#test/sim/workflow/far.ts'
import type { Resource } from '#test/sim/workflow/plan.ts'

export class Sights {
  private readonly seen: Map<string, Required<Sight>[]>

  constructor(resources: readonly Resource[]) {
    this.seen = new Map(
      resources.map(({ uid, draft: { status, instanceType, specs } }) => [
        uid,
        [{ exists: true, status, instanceType, specs }],
      ]),
    )
  }

  keep(uid: string, { exists, status, instanceType, specs }: Real): void {
    this.seen.get(uid)!.push({ exists, status, instanceType, specs })
  }

  /** Whether it was ever so. */
  wasSo(uid: string, target: Sight): boolean {
    return this.seen
      .get(uid)!
      .some(
        (sight) =>
          (target.exists ?? sight.exists) === sight.exists &&
          (target.status ?? sight.status) === sight.status &&
          (target.instanceType ?? sight.instanceType) === sight.instanceType &&
          Object.entries(target.specs ?? {}).every(([name, value]) => sight.specs[name] === value),
      )
  }
}
