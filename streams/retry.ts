/**
 * The retries of the product, with those of `engine/actor/retry.ts` all there are. `docs/retries.md` is generated from
 * both.
 */
import type { RetryPolicy } from '#engine/actor/retry.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '#engine/value/day.ts'

/** Doubled each time up to five minutes, as all calls to the outside that the engine retries. */
const doubled = (first: number) => ({ first, doubledTo: 5 * minuteMs })

export const retries = {
  /** The limits that `end` names are `budgetShare` and `budgetMin` of `cloud/call/call.ts`. */
  cloudCall: {
    name: 'A request to a cloud that was throttled, unavailable, not answered in time or answered unreadably, if repeating it is safe',
    tries: 4,
    pausesMs: { first: 200, doubledTo: 10 * secondMs },
    isRandom: true,
    end: 'The caller gets the error. The retries of an account are limited to a tenth of its calls, and ten per minute are always allowed.',
  },
  billRange: {
    name: 'Reading a part of an S3 object that was lost on the way',
    tries: 3,
    pausesMs: [0],
    end: 'The import gets a temporary error, and its own row applies.',
  },
  kubernetesChange: {
    name: 'Changing a Kubernetes object that somebody else has just changed',
    tries: 4,
    pausesMs: [0],
    end: 'The change fails with `conflict`.',
  },
  recordedCall: {
    name: 'A call to a cloud or a receiver (action, workflow, autoscaler policy, provisioning step, notification) that an error of our own databases interrupted; errors of the cloud or the receiver have rows of their own',
    tries: 12,
    pausesMs: doubled(500),
    end: 'It is reported as a temporary failure, so the row of the action, workflow, policy, step or notification applies.',
  },
  discovery: {
    name: 'A refresh of the resources of an account',
    tries: 3,
    pausesMs: doubled(secondMs),
    end: 'The refresh fails with the error.',
  },
  rescan: {
    name: 'Scanning resource types again that a refresh of an account could not read for now',
    tries: 3,
    pausesMs: [5 * minuteMs],
    end: 'The types are read with the next refresh.',
  },
  billSync: {
    name: 'An import of bills from an account',
    tries: 3,
    pausesMs: doubled(secondMs),
    end: 'The import fails with the error; the next one is due as scheduled.',
  },
  exportSchedule: {
    name: 'A run of a scheduled export that failed temporarily',
    tries: 6,
    pausesMs: [30 * secondMs, 2 * minuteMs, 10 * minuteMs],
    end: 'The run is `failed`, with the event `resource.failed`; the schedule runs again at its next time ([exports](exports.md#scheduled-exports)).',
  },
  job: {
    name: 'A job at fixed times',
    tries: 60,
    pausesMs: doubled(2 * secondMs),
    end: 'The job records the failure and runs again at its next time.',
  },
  unitMetricPull: {
    name: 'Reading a unit metric from its URL',
    tries: 1,
    pausesMs: [0],
    end: 'The metric shows the error, and is read again at its next time.',
  },
  tagRun: {
    name: 'A run of the tagging rules',
    tries: 5,
    pausesMs: doubled(secondMs),
    end: 'The run fails with the error.',
  },
  allocation: {
    name: 'Computing the teams of resources while their rules are being changed',
    tries: 3,
    pausesMs: [0],
    end: 'It is left for the next pass of the projections.',
  },
  delivery: {
    name: 'A notification that its receiver did not accept, except when it rejected it permanently',
    tries: 5,
    pausesMs: [secondMs, 5 * secondMs, 30 * secondMs, 2 * minuteMs],
    end: 'The delivery is `failed`, and the channel shows the failure ([attempts](notifications.md#attempts)).',
  },
  email: {
    name: 'An email other than a notification',
    tries: 10,
    pausesMs: doubled(30 * secondMs),
    end: 'It is logged as an error; a scheduled report shows it as `failed`.',
  },
  action: {
    name: 'An action that failed temporarily, or of which nothing was heard in time',
    tries: 3,
    pausesMs: [30 * secondMs, 2 * minuteMs],
    end: 'The action is `failed`, with the event `resource.retry_exhausted` ([actions](actions.md#status-and-retries)).',
  },
  workflowCall: {
    name: 'A call of a workflow that failed temporarily',
    tries: 3,
    pausesMs: [30 * secondMs, 2 * minuteMs],
    end: 'The workflow fails with `operation_failed`. If it has stopped the resource, it starts it again.',
  },
  workflowRestart: {
    name: 'Starting a resource again that a failed workflow has stopped, if it is busy',
    tries: 20,
    pausesMs: [30 * secondMs],
    end: 'The workflow fails and reports that the resource could not be started again.',
  },
  workflowLook: {
    name: 'Checking whether a call of a workflow is done',
    tries: 4,
    pausesMs: doubled(500),
    end: 'Nothing is reported: the next check is due soon.',
  },
  workflowFacts: {
    name: 'Collecting the current facts of a resource before a workflow changes it',
    tries: 12,
    pausesMs: doubled(500),
    end: 'The workflow fails with `facts_unavailable`, and nothing is changed.',
  },
  scalingInfrastructure: {
    name: 'Creating what autoscaler policies need in an account',
    tries: 5,
    pausesMs: doubled(500),
    end: 'It is `failed` with the error until somebody requests it again.',
  },
  planHold: {
    name: 'Scaling a target up for a readiness plan, or restoring it, after a temporary failure',
    tries: Infinity,
    pausesMs: [10 * secondMs, 30 * secondMs, minuteMs, 2 * minuteMs, 5 * minuteMs],
    end: 'Scaling up ends with its time window; restoring continues until it succeeds. The plan gets a report of each failure.',
  },
  planRestore: {
    name: 'Restoring a target of a readiness plan that its policy could not restore, or did not answer within 15 minutes',
    tries: 4,
    pausesMs: [minuteMs, 10 * minuteMs, hourMs],
    end: 'A notification is sent, a plan in `scaling_down` fails, and the next row applies.',
  },
  planRestoreSlow: {
    name: 'Restoring it after those attempts',
    tries: Infinity,
    pausesMs: [6 * hourMs],
    end: 'It continues until the target is restored.',
  },
  provisioningStep: {
    name: 'A step of a provisioning job that failed as `transient`',
    tries: 6,
    pausesMs: [secondMs, 2 * secondMs, 4 * secondMs, 8 * secondMs, 16 * secondMs],
    end: 'The job is `failed` or `delete_failed`, and can be retried ([provisioning](provisioning.md)).',
  },
  expiredDeletion: {
    name: 'Deleting an expired provisioning job that could not be deleted',
    tries: Infinity,
    pausesMs: [hourMs],
    end: 'It continues until the job is deleted.',
  },
  expiredDeletionDefect: {
    name: 'The same, if it failed as `system`',
    tries: Infinity,
    pausesMs: [dayMs],
    end: 'It continues until the job is deleted; administrators get a mail each time.',
  },
  databaseCall: {
    name: 'Creating or dropping a database when our own stores are unavailable',
    tries: 12,
    pausesMs: doubled(secondMs),
    end: 'The database is `failed` with the error.',
  },
  databaseRefused: {
    name: 'The same, if the cloud refuses it temporarily',
    tries: 6,
    pausesMs: doubled(secondMs),
    end: 'The database is `failed` with the error.',
  },
  buildOrder: {
    name: 'Putting a build on the stream of builds',
    tries: 20,
    pausesMs: doubled(secondMs),
    end: 'The build is `failed`.',
  },
  commitStatus: {
    name: 'Posting a commit status to the host of a repository',
    tries: 8,
    pausesMs: doubled(5 * secondMs),
    end: 'A warning is logged, and the status is not posted.',
  },
  laneProcess: {
    name: 'Starting a lane process',
    tries: Infinity,
    pausesMs: [5 * secondMs],
    end: 'It continues until the process runs; each failure is logged.',
  },
  embeddedServer: {
    name: 'Starting an embedded server that has ended; counted from 1 again once it has run for 3 s',
    tries: Infinity,
    pausesMs: { first: 100, doubledTo: 5 * secondMs },
    end: 'It continues until the server runs; each failure is logged.',
  },
  embeddedPort: {
    name: 'Starting an embedded server on a free port that another process has just taken; each attempt takes another port',
    tries: 3,
    pausesMs: [0],
    end: 'The start fails.',
  },
} satisfies Readonly<Record<string, RetryPolicy>>
