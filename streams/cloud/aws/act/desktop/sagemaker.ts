/** Notebooks, and the apps of Studio. */
import { ignoreNotFound } from '#streams/cloud/resource/verb/kind.ts'
import type { AppType, DescribeAppResponse } from '@aws-sdk/client-sagemaker'
import type { At } from '#streams/cloud/aws/act/kind.ts'
import { switchKind } from './switch-kind.ts'

export const notebook = switchKind({
  find: ({ session, region, name: NotebookInstanceName }) =>
    session.ask('sagemaker', region, (m) => new m.DescribeNotebookInstanceCommand({ NotebookInstanceName })),
  state: ({ NotebookInstanceStatus }) => NotebookInstanceStatus,
  size: ({ InstanceType }) => InstanceType,
  start: ({ session, region, name: NotebookInstanceName }) =>
    session.ask('sagemaker', region, (m) => new m.StartNotebookInstanceCommand({ NotebookInstanceName })),
  stop: ({ session, region, name: NotebookInstanceName }) =>
    session.ask('sagemaker', region, (m) => new m.StopNotebookInstanceCommand({ NotebookInstanceName })),
})

const appTypes: readonly AppType[] = [
  'Canvas',
  'CodeEditor',
  'DetailedProfiler',
  'JupyterLab',
  'JupyterServer',
  'KernelGateway',
  'RSessionGateway',
  'RStudioServerPro',
  'TensorBoard',
]

/** How calls name an app: `<domain>/<user or space>/<type in lower case>/<name>` in its ARN. */
function keyOf({ name }: At, isOfSpace: boolean) {
  const [DomainId, owner, type, AppName] = name.split('/')
  const AppType = appTypes.find((one) => one.toLowerCase() === type?.toLowerCase())
  return { DomainId, AppType, AppName, ...(isOfSpace ? { SpaceName: owner } : { UserProfileName: owner }) }
}

/** The ARN does not say whether its owner is a user or a space. */
async function findApp(at: At): Promise<DescribeAppResponse | undefined> {
  const { session, region } = at
  const describe = (isOfSpace: boolean) =>
    ignoreNotFound(session.ask('sagemaker', region, (m) => new m.DescribeAppCommand(keyOf(at, isOfSpace))))
  return (await describe(false)) ?? (await describe(true))
}

/** What belongs to an app, its home folder included, is its user's: an app is stopped by its deletion, and created to start it. */
export const studioApp = switchKind({
  find: findApp,
  // One that was deleted a day ago or earlier is not listed any more, and cannot be started again.
  state: ({ Status }) => Status,
  size: ({ ResourceSpec }) => ResourceSpec?.InstanceType,
  start: (at, { ResourceSpec, SpaceName }) =>
    at.session.ask(
      'sagemaker',
      at.region,
      (m) => new m.CreateAppCommand({ ...keyOf(at, SpaceName !== undefined), ...(ResourceSpec && { ResourceSpec }) }),
    ),
  stop: (at, { SpaceName }) =>
    at.session.ask('sagemaker', at.region, (m) => new m.DeleteAppCommand(keyOf(at, SpaceName !== undefined))),
})
