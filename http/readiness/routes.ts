import { calculations } from '#http/readiness/calculate.ts'
import { costs } from '#http/readiness/cost.ts'
import { courses } from '#http/readiness/plan-command.ts'
import { plans } from '#http/readiness/plan.ts'
import { previews } from '#http/readiness/preview.ts'
import type { Route } from '#http/edge/route.ts'

/** Plans that prepare capacity for events. */
export const eventReadiness: readonly Route[] = [...plans, ...calculations, ...previews, ...costs, ...courses]
