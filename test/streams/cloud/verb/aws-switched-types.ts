/** Types of AWS that are only started and stopped, as `aws-types.ts` has the others. */
import { awsError } from '#test/streams/cloud/aws/stub.ts'
import type { FarType } from './far-resource.ts'

const arn = (service: string, rest: string) => `arn:aws:${service}:us-east-1:123456789012:${rest}`

/** A type that is only started and stopped: `states` in the order of a start, `answer` of a look at it in one of them. */
function switchedType(
  type: string,
  of: Pick<FarType, 'resourceUid' | 'again'> & {
    calls: readonly [start: string, stop: string]
    look: string
    states: readonly [off: string, on: string, goingOn: string, goingOff: string]
    answer: (state: string) => unknown
    taken?: unknown
  },
): Record<string, FarType> {
  const { calls, look, states, answer, taken = {}, ...more } = of
  const [off, on, goingOn, goingOff] = states
  const looks = (...some: readonly [string, string, string]) => ({
    [look]: some.map(answer) as unknown as FarType['looks'][string],
  })
  return {
    [`${type} start`]: { ...more, taken, action: { kind: 'start' }, change: calls[0], looks: looks(off, goingOn, on) },
    [`${type} stop`]: { ...more, taken, action: { kind: 'stop' }, change: calls[1], looks: looks(on, goingOff, off) },
  }
}

export const switchedTypes: Readonly<Record<string, FarType>> = {
  ...switchedType('aws-flink-app', {
    resourceUid: arn('kinesisanalytics', 'application/clicks'),
    calls: ['StartApplication', 'StopApplication'],
    look: 'DescribeApplication',
    states: ['READY', 'RUNNING', 'STARTING', 'STOPPING'],
    answer: (ApplicationStatus) => ({ ApplicationDetail: { ApplicationStatus } }),
    again: awsError('ResourceInUseException'),
  }),
  ...switchedType('aws-sagemaker-notebook', {
    resourceUid: arn('sagemaker', 'notebook-instance/lab'),
    calls: ['StartNotebookInstance', 'StopNotebookInstance'],
    look: 'DescribeNotebookInstance',
    states: ['Stopped', 'InService', 'Pending', 'Stopping'],
    answer: (NotebookInstanceStatus) => ({ NotebookInstanceStatus, InstanceType: 'ml.t3.medium' }),
    again: awsError('ValidationException'),
  }),
  ...switchedType('aws-sagemaker-app', {
    resourceUid: arn('sagemaker', 'app/d-1/ana/jupyterlab/default'),
    calls: ['CreateApp', 'DeleteApp'],
    look: 'DescribeApp',
    states: ['Deleted', 'InService', 'Pending', 'Deleting'],
    answer: (Status) => ({ Status, ResourceSpec: { InstanceType: 'ml.t3.medium' } }),
    again: awsError('ResourceInUse'),
  }),
  ...switchedType('aws-workspace', {
    resourceUid: 'ws-1',
    calls: ['StartWorkspaces', 'StopWorkspaces'],
    look: 'DescribeWorkspaces',
    states: ['STOPPED', 'AVAILABLE', 'STARTING', 'STOPPING'],
    answer: (State) => ({ Workspaces: [{ State }] }),
    taken: { FailedRequests: [] },
    // It refuses one of several by name, in an answer that is none of an error.
    again: { FailedRequests: [{ ErrorCode: 'InvalidResourceState', ErrorMessage: 'It is in another state.' }] },
  }),
  ...switchedType('aws-appstream-fleet', {
    resourceUid: arn('appstream', 'fleet/cad'),
    calls: ['StartFleet', 'StopFleet'],
    look: 'DescribeFleets',
    states: ['STOPPED', 'RUNNING', 'STARTING', 'STOPPING'],
    answer: (State) => ({ Fleets: [{ State }] }),
    again: awsError('OperationNotPermittedException'),
  }),
  ...switchedType('aws-appstream-image-builder', {
    resourceUid: arn('appstream', 'image-builder/cad'),
    calls: ['StartImageBuilder', 'StopImageBuilder'],
    look: 'DescribeImageBuilders',
    states: ['STOPPED', 'RUNNING', 'PENDING', 'STOPPING'],
    answer: (State) => ({ ImageBuilders: [{ State }] }),
    again: awsError('OperationNotPermittedException'),
  }),
  ...switchedType('aws-lightsail', {
    resourceUid: arn('lightsail', 'Instance/8b1'),
    calls: ['StartInstance', 'StopInstance'],
    look: 'GetInstances',
    states: ['stopped', 'running', 'pending', 'stopping'],
    answer: (name) => ({ instances: [{ arn: arn('lightsail', 'Instance/8b1'), name: 'shop', state: { name } }] }),
    again: awsError('InvalidInputException'),
  }),
}
