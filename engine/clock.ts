import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '#engine/actor/ports.ts'

/** Real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => delay(ms, undefined, signal && { signal }).then(undefined, () => {}),
}

/** Real time plus what `shift` says now; sleeping stays real. */
export const shiftedClock = (shift: () => number): Clock => ({ ...systemClock, now: () => Date.now() + shift() })
