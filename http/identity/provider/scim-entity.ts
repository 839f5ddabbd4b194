import { defineEntity, p } from '@mikro-orm/core'

const user = defineEntity({
  name: 'ScimUser',
  tableName: 'scim_user',
  properties: {
    orgId: p.text().primary(),
    userId: p.uuid().primary(),
    /** As the directory writes it. */
    userName: p.text(),
    /** The same in lower case: by it people are told apart. */
    userKey: p.text(),
    /** What the directory calls the person, if it says. */
    externalId: p.text().nullable(),
    /** Where the directory says that the person is reached, lower case. */
    email: p.text(),
    displayName: p.text().nullable(),
    givenName: p.text().nullable(),
    familyName: p.text().nullable(),
    /** The role that the person has again when the directory takes its deactivation back. */
    roleId: p.text(),
    /** Null while the directory has not deactivated the person: a provider signs in nobody whom it has. */
    deactivatedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ properties: ['orgId', 'userKey'] }],
})

/** What the directory of an organization says of a person. Written only by `http/scim`. */
export class ScimUser extends user.class {}
user.setClass(ScimUser)

const groupMember = defineEntity({
  name: 'ScimGroupMember',
  tableName: 'scim_group_member',
  properties: {
    orgId: p.text().primary(),
    /** One of the system roles, or the id of a role of the organization. */
    roleId: p.text().primary(),
    userId: p.uuid().primary(),
    createdAt: p.datetime(3),
  },
})

/** Whom the directory of an organization has put into the group of a role. Written only by `http/scim`. */
export class ScimGroupMember extends groupMember.class {}
groupMember.setClass(ScimGroupMember)
