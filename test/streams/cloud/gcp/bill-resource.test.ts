import { expect } from 'chai'
import { withResourceName } from '#streams/cloud/gcp/bill/resource.ts'

const project = { id: 'shop-prod', number: '123' }

/** What a line is about, by what Google calls it. */
const uidOf = (globalName: string, name?: string, of: object = project): unknown =>
  (
    withResourceName({ project: of, resource: { global_name: globalName, ...(name && { name }) } })[
      'resource'
    ] as Record<string, unknown>
  )['global_name']

describe('what a line of a bill of Google Cloud is about', () => {
  it('is called as the inventory calls it', () => {
    const compute = '//compute.googleapis.com/projects/123'
    expect(uidOf(`${compute}/zones/us-central1-a/instances/987`, 'web-1')).to.equal(
      'projects/shop-prod/zones/us-central1-a/instances/web-1',
    )
    expect(uidOf(`${compute}/zones/us-central1-a/instances/987`, 'projects/123/instances/web-1')).to.equal(
      'projects/shop-prod/zones/us-central1-a/instances/web-1',
    )
    expect(uidOf(`${compute}/zones/europe-west4-a/disk/5731447681477044785`, 'photos')).to.equal(
      'projects/shop-prod/zones/europe-west4-a/disks/photos',
    )
    expect(uidOf(`${compute}/regions/us-central1/disks/data`, 'other')).to.equal(
      'projects/shop-prod/regions/us-central1/disks/data',
    )
    expect(uidOf('//container.googleapis.com/projects/123/zones/us-central1-a/clusters/shop')).to.equal(
      '//container.googleapis.com/projects/shop-prod/locations/us-central1-a/clusters/shop',
    )
    expect(uidOf('//cloudsql.googleapis.com/projects/123/instances/orders')).to.equal(
      '//cloudsql.googleapis.com/projects/shop-prod/instances/orders',
    )
    expect(uidOf('//storage.googleapis.com/projects/_/buckets/media')).to.equal('//storage.googleapis.com/media')
  })

  it('stays as it is where nobody says what its numbers are of', () => {
    const machine = '//compute.googleapis.com/projects/999/zones/z/instances/987'
    expect(uidOf(machine)).to.equal('projects/999/zones/z/instances/987')
    expect(uidOf('//redis.googleapis.com/projects/123/locations/l/instances/i', 'i', {})).to.equal(
      '//redis.googleapis.com/projects/123/locations/l/instances/i',
    )
    expect(uidOf('support')).to.equal('support')
    expect(withResourceName({ cost: 1 })).to.deep.equal({ cost: 1 })
  })
})
