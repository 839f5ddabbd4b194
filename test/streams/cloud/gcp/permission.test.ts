import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { gcpPermissions } from '#streams/cloud/gcp/permission/permissions.ts'
import { roleCommands, roleDocument } from '#streams/cloud/gcp/permission/policy.ts'

const folder = new URL('../../../../streams/cloud/gcp/', import.meta.url)

/** What calls of the sources say that they need; of those that are put together from parts, all that they come to. */
function permissionsAsked(): Set<string> {
  const asked = new Set<string>()
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((one) => one.endsWith('.ts'))) {
    if (name === 'permission/permissions.ts') continue
    const text = readFileSync(new URL(name, folder), 'utf8')
    for (const [, said] of text.matchAll(
      /'((?:aiplatform|alloydb|appengine|artifactregistry|bigquery|bigtable|cloudfunctions|cloudkms|cloudsql|composer|compute|container|dataflow|datafusion|dataproc|dns|file|iam|logging|monitoring|notebooks|policyanalyzer|pubsub|recommender(?!\.googleapis)|redis|run|secretmanager|serviceusage|spanner|storage|workstations)\.[A-Za-z]+\.[A-Za-z]+|resourcemanager\.projects\.get\w*)'/g,
    ))
      asked.add(said!)
    for (const [, what] of text.matchAll(/listOf\(place, '(\w+)'\)/g)) asked.add(`compute.${what}.list`)
    for (const [, what] of text.matchAll(/removable\('(\w+)'/g))
      for (const verb of ['get', 'delete']) asked.add(`compute.${what}.${verb}`)
    for (const [, what] of text.matchAll(/powerPermissions\('([\w.]+)'\)/g))
      for (const verb of ['get', 'start', 'stop']) asked.add(`${what}.${verb}`)
  }
  return asked
}

/** What Google asks of us for calls of others, and for what is of no region. */
const behind = [
  'bigquery.tables.getData',
  'compute.disks.create',
  'compute.disks.setLabels',
  'compute.forwardingRules.setLabels',
  'compute.globalAddresses.delete',
  'compute.globalAddresses.get',
  'compute.globalAddresses.list',
  'compute.globalForwardingRules.delete',
  'compute.globalForwardingRules.get',
  'compute.globalForwardingRules.list',
  'compute.instanceGroupManagers.use',
  'compute.instanceGroups.use',
  'compute.instanceTemplates.useReadOnly',
  'compute.instances.create',
  'compute.instances.setLabels',
  'compute.instances.setTags',
  'compute.instances.useReadOnly',
  'compute.networks.updatePolicy',
  'compute.regionBackendServices.list',
  'compute.regionBackendServices.use',
  'compute.regionHealthChecks.useReadOnly',
  'compute.snapshots.create',
  'compute.subnetworks.use',
]

describe('the table of permissions of Google Cloud', () => {
  const named = new Set(gcpPermissions.flatMap(({ names }) => names))

  it('has that of every call that is made, so that what is printed is enough', () => {
    const asked = permissionsAsked()
    expect(asked.size).to.be.above(60)
    // Granted by hand, for the bucket of scheduled exports (docs/exports.md).
    const byHand = ['storage.objects.create', 'storage.objects.delete']
    expect([...asked].filter((name) => !named.has(name)).toSorted()).to.deep.equal(byHand)
  })

  it('has no other, but for what Google asks for behind those calls', () => {
    const asked = permissionsAsked()
    expect([...named].filter((name) => !asked.has(name)).toSorted()).to.deep.equal(behind)
  })

  it('is printed as a role, and changes nothing where it only looks', () => {
    const { includedPermissions: looks } = roleDocument()
    const { includedPermissions: all } = roleDocument({ write: true })
    // A question to BigQuery is a job, that reads.
    expect(looks.filter((name) => !/\.(get|list|getData|getIamPolicy)$/.test(name))).to.deep.equal([
      'bigquery.jobs.create',
      'bigquery.jobs.listAll',
      'policyanalyzer.serviceAccountLastAuthenticationActivities.query',
    ])
    expect(all.filter((name) => looks.includes(name))).to.deep.equal(looks)
    expect(all).to.include.members(['compute.instances.stop', 'cloudsql.instances.update', 'container.clusters.update'])
    expect(all).to.deep.equal([...new Set(all)].toSorted())
    // What reads objects is granted by the bucket of the bills alone.
    expect(all.filter((name) => name.startsWith('storage.objects.'))).to.deep.equal([])
    expect(roleCommands(roleDocument(), { project: 'shop', bucket: 'shop-bills' }).at(-2)).to.equal(
      'gcloud storage buckets add-iam-policy-binding gs://shop-bills --member serviceAccount:tidemark@shop.iam.gserviceaccount.com --role roles/storage.objectViewer',
    )
  })

  const role = { title: 'Tidemark', description: '', stage: 'GA' as const, includedPermissions: ['a.b.c', 'd.e.f'] }
  it('is printed with what lists folders and projects where those of an organization are connected', () => {
    const { includedPermissions: one } = roleDocument()
    const { includedPermissions: all } = roleDocument({ parent: 'folders/7' })
    expect(all.filter((name) => !one.includes(name))).to.deep.equal([
      'resourcemanager.folders.list',
      'resourcemanager.projects.list',
    ])
  })

  it('is printed as commands that give the role in the folder or the organization', () => {
    const [, , made, bound] = roleCommands(role, { project: 'shop', parent: 'folders/7' })
    const organization = "$(gcloud projects get-ancestors shop --filter type=organization --format 'value(id)')"
    expect([made, bound]).to.deep.equal([
      `gcloud iam roles create tidemark --organization ${organization} --title Tidemark --stage GA --permissions a.b.c,d.e.f`,
      `gcloud resource-manager folders add-iam-policy-binding 7 --member serviceAccount:tidemark@shop.iam.gserviceaccount.com --role organizations/${organization}/roles/tidemark --condition None`,
    ])
    expect(roleCommands(role, { project: 'shop', parent: 'organizations/9' }).slice(1, 4)).to.deep.equal([
      'gcloud services enable cloudresourcemanager.googleapis.com --project shop',
      'gcloud iam roles create tidemark --organization 9 --title Tidemark --stage GA --permissions a.b.c,d.e.f',
      'gcloud organizations add-iam-policy-binding 9 --member serviceAccount:tidemark@shop.iam.gserviceaccount.com --role organizations/9/roles/tidemark --condition None',
    ])
  })

  it('is printed as commands that give the role in the project', () => {
    expect(roleCommands(role, { project: 'shop' })).to.deep.equal([
      'gcloud iam service-accounts create tidemark --project shop --display-name Tidemark',
      'gcloud iam roles create tidemark --project shop --title Tidemark --stage GA --permissions a.b.c,d.e.f',
      'gcloud projects add-iam-policy-binding shop --member serviceAccount:tidemark@shop.iam.gserviceaccount.com --role projects/shop/roles/tidemark --condition None',
      'gcloud iam service-accounts keys create tidemark.json --iam-account tidemark@shop.iam.gserviceaccount.com',
    ])
  })
})
