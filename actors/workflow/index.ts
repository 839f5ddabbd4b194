import type { Capability } from '#actors/capability.ts'
import { workflowActor } from '#actors/workflow/actor.ts'
import { workflowDomain } from '#actors/workflow/custom/custom.ts'
import { WorkflowJob } from '#actors/workflow/entity.ts'
import { gatherWork } from '#actors/workflow/guard/gather.ts'
import { guardActor } from '#actors/workflow/guard/guard.ts'
import { Guard } from '#actors/workflow/guard/entity.ts'
import { guardrailDomain } from '#actors/workflow/guard/guardrail.ts'
import { mailWork } from '#actors/workflow/call/mail.ts'
import { dropWorkflows } from '#actors/workflow/retention.ts'
import { lookWork } from '#actors/workflow/call/operate-look.ts'
import { operateWork } from '#actors/workflow/call/operate.ts'

/** Changes that recommendations ask for: planned, approved, made once, looked at afterwards. */
export const workflow: Capability = {
  word: 'workflow',
  entities: [WorkflowJob, Guard],
  actors: [workflowActor, guardActor],
  effects: [operateWork, lookWork, gatherWork, mailWork],
  jobs: { retention: dropWorkflows },
  policies: [workflowDomain, guardrailDomain],
  migrates: true,
}
