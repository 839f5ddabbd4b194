import { also, daysSince, listType } from '#streams/cloud/aws/discover/listed.ts'
import { timeOf } from '#streams/cloud/aws/map/resource.ts'

export const certificates = listType('acm', {
  type: 'aws-acm-certificate',
  permissions: ['acm:ListCertificates', 'acm:ListTagsForCertificate'],
  // Unless asked for by the kind of their keys, ACM lists those with RSA keys of 1024 and 2048 bits only.
  list: (m, NextToken) =>
    new m.ListCertificatesCommand({
      MaxItems: 1000,
      Includes: { keyTypes: Object.values(m.KeyAlgorithm) },
      ...(NextToken && { NextToken }),
    }),
  next: ({ NextToken }) => NextToken,
  items: ({ CertificateSummaryList }) => CertificateSummaryList,
  detail: ({ CertificateArn }, place) =>
    also(place, 'tags', () => place.ask('acm', (m) => new m.ListTagsForCertificateCommand({ CertificateArn }))),
  uid: ({ CertificateArn }) => CertificateArn,
  fields: ({ DomainName, Status }, _, detail) => ({ name: DomainName, state: Status, tags: detail?.Tags }),
  specs: {
    created_at: ({ CreatedAt, ImportedAt }) => timeOf(CreatedAt ?? ImportedAt),
    // One that was not issued yet has no end.
    days_to_expiry: ({ NotAfter }) => NotAfter && daysSince(new Date(), NotAfter.getTime()),
    renewal_eligible: ({ RenewalEligibility }) => RenewalEligibility && RenewalEligibility === 'ELIGIBLE',
    in_use: ({ InUse }) => InUse,
  },
})
