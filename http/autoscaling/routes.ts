/** Routes of autoscaler policies. Paths without an id come before those with one. */
import { policyAdvice } from '#http/autoscaling/advice.ts'
import { policyChanges } from '#http/autoscaling/change.ts'
import { policyCommands } from '#http/autoscaling/command.ts'
import { infrastructures } from '#http/autoscaling/infrastructure.ts'
import { policyLists } from '#http/autoscaling/list.ts'
import { policyReads } from '#http/autoscaling/detail.ts'
import { whatIfs } from '#http/autoscaling/what-if.ts'
import type { Route } from '#http/edge/route.ts'

export const autoscalerPolicies: readonly Route[] = [
  ...policyAdvice,
  ...infrastructures,
  ...whatIfs,
  ...policyLists,
  ...policyChanges,
  ...policyCommands,
  ...policyReads,
]
