/** The same routes under the name of remediation: started for a resource, or for a group that contains it. */
import { t } from '#engine/value/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import { recommendationSeen } from '#http/recommendation/detail.ts'
import { reply } from '#http/store/reply.ts'
import { JobView, showJob } from '#http/workflow/body.ts'
import { jobExample } from '#http/workflow/example.ts'
import { jobSeen } from '#http/workflow/job.ts'
import { startWorkflow } from '#http/workflow/start.ts'
import { text } from '#streams/text.ts'
import { subjectTypes } from '#streams/workflow.ts'

const { recommendationID, subjectType, subjectID } = jobExample

const Body = t.Object(
  {
    recommendationID: text({ minLength: 1, maxLength: 256, description: 'as in GET /recommendations' }),
    subjectType: t.Enum(subjectTypes),
    subjectID: text({
      minLength: 1,
      maxLength: 1024,
      description: "UID of the recommendation's resource, or the ID of a resource group with it",
    }),
  },
  { examples: [{ recommendationID, subjectType, subjectID }] },
)

export const remediationStarts: readonly Route[] = [
  route({
    method: 'POST',
    path: '/remediation-jobs',
    summary: 'Start a workflow for a recommendation',
    description:
      "Same as POST /recommendations/{recID}/workflow, with the same response time. It changes the recommendation's " +
      'resource, regardless of the subject, which for a group records on whose behalf. Returns 422 wrong_subject if the ' +
      'recommendation is for another resource, and 422 not_a_member if its resource is not in the group.',
    permission: 'service.create',
    tags: ['Remediation jobs'],
    status: 202,
    headers: { Location: 'URL of the new job' },
    body: Body,
    reply: JobView,
    refuses: {
      404: ['not_found'],
      409: ['invalid_transition', 'job_active'],
      422: ['limit_reached', 'capability_missing', 'not_a_member', 'wrong_subject'],
    },
    handle: async (request, services) => {
      const { caller, body } = request
      const row = await recommendationSeen(caller, body.recommendationID, services)
      const id = await startWorkflow(request, row, { type: body.subjectType, id: body.subjectID }, services)
      const job = showJob(caller.orgId, await jobSeen(caller, id, services))
      return reply(job, { headers: { Location: `/remediation-jobs/${id}` } })
    },
  }),
]
