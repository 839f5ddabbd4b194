/** Reminders by the clock of the world, which may jump. */
import type { Scheduled } from '#test/sim/scheduler.ts'
import { subjects } from '#test/sim/workflow/kind.ts'
import type { World } from '#test/sim/workflow/world.ts'

export class Timers {
  private readonly world: World
  private readonly timers = new Map<string, Scheduled>()

  constructor(world: World) {
    this.world = world
  }

  /** One that stands comes when it is due, and now and then once more. */
  ring(id: string): void {
    const { state, scheduler, random, isRough, now } = this.world
    const reminder = state.reminders.get(id)
    if (!reminder) return
    const before = this.timers.get(id)
    if (before) before.run = undefined
    const { kind, key, name, due, subject, data } = reminder
    const ringing = () => {
      if (state.reminders.get(id)?.due !== due) return
      this.world.append(subjects.get(subject)!, data, { reminded: { kind, key, name, due } })
    }
    this.timers.set(id, scheduler.after(due - now + random.below(500), ringing))
    if (isRough && random.chance(0.1)) scheduler.after(due - now + random.below(3000), ringing)
  }

  /** The clock is another one. */
  ringAll(): void {
    for (const id of this.world.state.reminders.keys()) this.ring(id)
  }
}
