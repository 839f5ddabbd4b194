import { expect } from 'chai'
import {
  cloudSupport,
  clusterTypes,
  kubernetesKind,
  kubernetesKinds,
  resourceTypes,
  schedulable,
  typeOf,
} from '#streams/cloud/resource/resource-type.ts'

const everyCluster = (kinds: string) =>
  clusterTypes.flatMap((cluster) => kinds.split(' ').map((kind) => `${cluster}-${kind}`))
const categories = (types: readonly string[]) => [...new Set(types.map((type) => typeOf(type)?.category))]

describe('resource types', () => {
  it('lists 279 types, each named by its provider and kind, once', () => {
    expect(resourceTypes).to.have.length(279)
    expect(new Set(resourceTypes.map(({ type }) => type)).size).to.equal(279)
    expect(resourceTypes.filter(({ type, provider, kind }) => type !== `${provider}-${kind}`)).to.eql([])
  })

  it('reads every column of a type', () => {
    expect(typeOf('azure-synapse-sql-pool')).to.eql({
      type: 'azure-synapse-sql-pool',
      provider: 'azure',
      kind: 'synapse-sql-pool',
      category: 'Analytics',
      displayName: 'Synapse dedicated SQL pool',
      service: 'Azure Synapse Analytics',
      schedulable: true,
      startApi: 'Microsoft.Synapse/workspaces/sqlPools/resume',
      stopApi: 'Microsoft.Synapse/workspaces/sqlPools/pause',
      pauseApi: 'Microsoft.Synapse/workspaces/sqlPools/pause',
      pauseReversible: true,
      statusMap: 'Online=running; Resuming=starting; Pausing=stopping; Paused=stopped',
      parentTypes: [],
      scalingTarget: 'no',
      costRollup: false,
      taggable: true,
      wave: 2,
      discoveryApi: 'resourcegraph microsoft.synapse/workspaces/sqlpools',
      consoleUrl: 'https://portal.azure.com/#resource{uid}',
    })
  })

  it('knows the machine, database, cluster and node pool types of every provider [RES-34]', () => {
    const literal = [
      ['aws-ec2', 'aws-rds', 'aws-eks', 'aws-eks-nodegroup'],
      ['gcp-vm', 'gcp-cloudsql', 'gcp-gke', 'gcp-gke-nodepool'],
      ['azure-vm', 'azure-postgres', 'azure-mysql', 'azure-aks', 'azure-aks-nodepool'],
    ].flat()
    expect(literal.filter((type) => typeOf(type) === undefined)).to.eql([])
  })

  it('puts the three Databricks kinds below their workspace [RES-35]', () => {
    const children = resourceTypes.filter(({ parentTypes }) => parentTypes.includes('azure-databricks'))
    expect(children.map(({ type }) => type)).to.eql([
      'azure-databricks-cluster',
      'azure-databricks-instance-pool',
      'azure-databricks-warehouse',
    ])
  })

  it('marks machines schedulable, and storage, secrets and unknown types not', () => {
    expect(['aws-ec2', 'gcp-vm', 'azure-vm', 'aws-rds'].map((type) => schedulable(type))).to.eql([
      true,
      true,
      true,
      true,
    ])
    const not = ['aws-s3-bucket', 'gcp-disk', 'azure-key-vault', 'aws-toaster', 'toString']
    expect(not.map((type) => schedulable(type))).to.eql([false, false, false, false, false])
  })
})

describe('Kubernetes kinds', () => {
  it('names a child by its cluster type and its kind [K8S-09]', () => {
    expect(typeOf('aws-eks-deployment')?.displayName).to.equal('Kubernetes deployment')
    expect(kubernetesKind('aws-eks-deployment')).to.equal('deployment')
    expect(['aws-eks', 'aws-eks-nodegroup', 'azure-aks-nodepool', 'aws-eks-toString'].map(kubernetesKind)).to.eql([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  const six: readonly (readonly [string, string, string])[] = [
    ['K8S-02', 'Workloads', 'deployment statefulset daemonset job cronjob replicaset'],
    ['K8S-03', 'Services and networking', 'service ingress networkpolicy'],
    ['K8S-04', 'Configuration', 'configmap secret serviceaccount'],
    ['K8S-05', 'Storage', 'persistentvolume persistentvolumeclaim storageclass'],
    ['K8S-06', 'Autoscaling', 'horizontalpodautoscaler verticalpodautoscaler'],
    ['K8S-07', 'Cluster', 'namespace node pod role rolebinding clusterrole clusterrolebinding'],
  ]
  for (const [requirement, category, kinds] of six) {
    it(`knows the kinds of the category ${category} for clusters of all three providers [${requirement}]`, () => {
      expect(categories(everyCluster(kinds))).to.eql([category])
      expect(kinds.split(' ').map((kind) => kubernetesKinds[kind])).to.eql(kinds.split(' ').map(() => category))
    })
  }

  it('lists exactly 24 Kubernetes kinds for each provider in the support matrix [K8S-08]', () => {
    const listed = cloudSupport().filter(({ type }) => kubernetesKind(type) !== undefined)
    const counts = ['aws', 'gcp', 'azure'].map((name) => listed.filter(({ provider }) => provider === name).length)
    expect(counts).to.eql([24, 24, 24])
    expect(Object.keys(kubernetesKinds)).to.have.length(24)
  })

  it('lets workloads be stopped where Kubernetes can, and what is only configuration not [K8S-10]', () => {
    const can = (kinds: string) => new Set(everyCluster(kinds).map((type) => schedulable(type)))
    expect([...can('deployment statefulset cronjob job')]).to.eql([true])
    expect([...can('configmap role pod secret daemonset service namespace node persistentvolumeclaim')]).to.eql([false])
    expect(schedulable('gcp-gke-replicaset')).to.equal(true)
    expect(schedulable('gcp-gke-replicaset', true)).to.equal(false)
  })
})

describe('cloud support matrix', () => {
  it('says of each type what can be done with it', () => {
    const of = (type: string) => cloudSupport().find((row) => row.type === type)
    const common = { autoscalable: false, discoverable: true }
    expect(of('aws-asg')).to.eql({
      provider: 'aws',
      type: 'aws-asg',
      kind: 'asg',
      category: 'Compute',
      schedulable: true,
      actions: ['start', 'stop', 'scale'],
      autoscalable: true,
      discoverable: true,
    })
    expect(of('gcp-dataflow-job')).to.eql({
      ...common,
      provider: 'gcp',
      type: 'gcp-dataflow-job',
      kind: 'dataflow-job',
      category: 'Analytics',
      schedulable: false,
      actions: ['pause'],
    })
    expect(of('azure-aks-configmap')).to.eql({
      ...common,
      provider: 'azure',
      type: 'azure-aks-configmap',
      kind: 'aks-configmap',
      category: 'Configuration',
      schedulable: false,
      actions: [],
    })
  })
})
