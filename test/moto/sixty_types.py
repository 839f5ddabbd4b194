"""An account of more than 60 types in three regions, made by boto3 at the endpoint that is given. It prints how many of each type boto3
itself lists afterwards, by type and region, and what was planted, rules by uid: in the account itself, in what CloudWatch has
measured in the last two weeks, and in a FOCUS export of 30 days in s3://bills/focus:
{"counts": {type: {region: n}}, "planted": {uid: [rule]}, "measured": {uid: [rule]}, "billed": {uid: [rule]}}.
Nothing here knows how Tidemark reads an account."""
import csv, datetime, gzip, io, json, sys, zipfile
import boto3
from botocore.config import Config

endpoint = sys.argv[1]
regions = ["eu-west-1", "us-east-1", "us-west-2"]
account = "123456789012"
config = Config(retries={"max_attempts": 1}, s3={"addressing_style": "path"})
session = boto3.session.Session(aws_access_key_id="test", aws_secret_access_key="test")
clients = {}


def client(service, region):
    key = (service, region)
    if key not in clients:
        clients[key] = session.client(service, region_name=region, endpoint_url=endpoint, config=config)
    return clients[key]


def role_arn(name):
    return f"arn:aws:iam::{account}:role/{name}"


TAGS = [{"Key": "team", "Value": "shop"}]
planted = {}
image = "ami-12c6146b"


def code():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("index.py", "def handler(event, context): return 1")
    return packed.getvalue()


def network(r, has_flow_logs=True):
    """A network of its own in each region."""
    ec2 = client("ec2", r)
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    if has_flow_logs:
        ec2.create_flow_logs(ResourceIds=[vpc], ResourceType="VPC", TrafficType="ALL", LogDestinationType="s3", LogDestination="arn:aws:s3:::trail-bucket")
    subnets = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.1.{n}.0/24", AvailabilityZone=f"{r}{zone}")["Subnet"]["SubnetId"]
        for n, zone in enumerate("ab")
    ]
    group = ec2.create_security_group(GroupName="web", Description="web", VpcId=vpc)["GroupId"]
    return vpc, subnets, group


def machine(r, subnet, tokens="required", count=1):
    disk = {"DeviceName": "/dev/sda1", "Ebs": {"VolumeSize": 8, "VolumeType": "gp3", "Encrypted": True}}
    made = client("ec2", r).run_instances(
        ImageId=image, InstanceType="t3.micro", MinCount=count, MaxCount=count, SubnetId=subnet, BlockDeviceMappings=[disk],
        MetadataOptions={"HttpTokens": tokens, "HttpEndpoint": "enabled"}, TagSpecifications=[{"ResourceType": "instance", "Tags": TAGS}],
    )
    return [i["InstanceId"] for i in made["Instances"]]


def disk(r, instance, encrypted=True, size=10, device="/dev/sdf"):
    ec2 = client("ec2", r)
    volume = ec2.create_volume(AvailabilityZone=f"{r}a", Size=size, VolumeType="gp3", Encrypted=encrypted)["VolumeId"]
    ec2.attach_volume(VolumeId=volume, InstanceId=instance, Device=device)
    return volume


def database(r, name, **other):
    asked = {"StorageEncrypted": True, "BackupRetentionPeriod": 7, "PubliclyAccessible": False, **other}
    made = client("rds", r).create_db_instance(
        DBInstanceIdentifier=name, DBInstanceClass="db.t3.micro", Engine="postgres", MasterUsername="app",
        MasterUserPassword="of-a-test-only", AllocatedStorage=20, **asked,
    )
    return made["DBInstance"]["DBInstanceArn"]


def function(r, name):
    made = client("lambda", r).create_function(
        FunctionName=name, Runtime="python3.12", Role=role_arn("lambda"), Handler="index.handler", Code={"ZipFile": code()},
    )
    return made["FunctionArn"]


def bucket(r, name, is_closed=True):
    s3 = client("s3", r)
    s3.create_bucket(Bucket=name, **({} if r == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": r}}))
    arn = f"arn:aws:s3:::{name}"
    if is_closed:
        statement = {"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": [arn, f"{arn}/*"], "Condition": {"Bool": {"aws:SecureTransport": "false"}}}
        s3.put_bucket_policy(Bucket=name, Policy=json.dumps({"Version": "2012-10-17", "Statement": [statement]}))
    return arn


def search(r, name, **place):
    made = client("opensearch", r).create_domain(DomainName=name, DomainEndpointOptions={"EnforceHTTPS": True}, **place)
    return made["DomainStatus"]["ARN"]


def key(r, is_rotated=True):
    kms = client("kms", r)
    made = kms.create_key()["KeyMetadata"]
    if is_rotated:
        kms.enable_key_rotation(KeyId=made["KeyId"])
    return made["Arn"]


def make(r, n):
    """`n` of most types; fewer where one is enough."""
    ec2 = client("ec2", r)
    vpc, subnets, group = network(r)
    machines = machine(r, subnets[0], count=n)
    for k in range(n):
        volume = disk(r, machines[k], size=10 + k)
        ec2.create_snapshot(VolumeId=volume)
        address = ec2.allocate_address(Domain="vpc")["AllocationId"]
        ec2.associate_address(AllocationId=address, InstanceId=machines[k])
    ec2.create_image(InstanceId=machines[0], Name=f"image-{r}")
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    ec2.create_nat_gateway(SubnetId=subnets[0], AllocationId=ec2.allocate_address(Domain="vpc")["AllocationId"])
    ec2.create_vpc_endpoint(VpcId=vpc, ServiceName=f"com.amazonaws.{r}.ec2", VpcEndpointType="Interface", SubnetIds=subnets[:1])
    transit = ec2.create_transit_gateway()["TransitGateway"]["TransitGatewayId"]
    ec2.create_transit_gateway_vpc_attachment(TransitGatewayId=transit, VpcId=vpc, SubnetIds=subnets)
    customer = ec2.create_customer_gateway(Type="ipsec.1", PublicIp="203.0.113.9", BgpAsn=65000)["CustomerGateway"]["CustomerGatewayId"]
    private = ec2.create_vpn_gateway(Type="ipsec.1")["VpnGateway"]["VpnGatewayId"]
    ec2.create_vpn_connection(Type="ipsec.1", CustomerGatewayId=customer, VpnGatewayId=private)
    ec2.allocate_hosts(AvailabilityZone=f"{r}a", InstanceType="m5.large", Quantity=1)

    scaling = client("autoscaling", r)
    template = ec2.create_launch_template(LaunchTemplateName="web", LaunchTemplateData={"ImageId": image, "InstanceType": "t3.micro"})
    scaling.create_auto_scaling_group(
        AutoScalingGroupName="web", MinSize=0, MaxSize=2, DesiredCapacity=0, VPCZoneIdentifier=subnets[0],
        LaunchTemplate={"LaunchTemplateId": template["LaunchTemplate"]["LaunchTemplateId"]},
    )
    elb = client("elbv2", r)
    elb.create_load_balancer(Name="web", Subnets=subnets, Type="application")
    elb.create_load_balancer(Name="tcp", Subnets=subnets, Type="network")
    client("elb", r).create_load_balancer(
        LoadBalancerName="old", Subnets=subnets[:1],
        Listeners=[{"Protocol": "TCP", "LoadBalancerPort": 80, "InstancePort": 80}],
    )
    ecs = client("ecs", r)
    ecs.create_cluster(clusterName="shop")
    ecs.register_task_definition(family="web", cpu="256", memory="512", containerDefinitions=[{"name": "web", "image": "web:1", "memory": 512}])
    for k in range(n):
        ecs.create_service(cluster="shop", serviceName=f"web-{k}", taskDefinition="web", desiredCount=1)
    eks = client("eks", r)
    eks.create_cluster(name="shop", version="1.31", roleArn=role_arn("eks"), resourcesVpcConfig={"subnetIds": subnets})
    eks.create_nodegroup(clusterName="shop", nodegroupName="general", nodeRole=role_arn("node"), subnets=subnets, scalingConfig={"minSize": 0, "maxSize": 1, "desiredSize": 0})
    rds = client("rds", r)
    for k in range(n):
        database(r, f"shop-{k}")
    rds.create_db_snapshot(DBInstanceIdentifier="shop-0", DBSnapshotIdentifier="shop-0-once")
    rds.create_db_cluster(DBClusterIdentifier="cluster", Engine="aurora-postgresql", MasterUsername="app", MasterUserPassword="of-a-test-only", StorageEncrypted=True)
    rds.create_db_cluster(DBClusterIdentifier="graph", Engine="neptune", StorageEncrypted=True)
    client("elasticache", r).create_cache_cluster(CacheClusterId="cache", Engine="redis", CacheNodeType="cache.t3.micro", NumCacheNodes=1)
    client("memorydb", r).create_cluster(ClusterName="memory", NodeType="db.t4g.small", ACLName="open-access")
    dynamo = client("dynamodb", r)
    for k in range(n):
        dynamo.create_table(
            TableName=f"carts-{k}", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}, {"AttributeName": "at", "AttributeType": "S"}],
            GlobalSecondaryIndexes=[{"IndexName": "by-at", "KeySchema": [{"AttributeName": "at", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}],
            BillingMode="PAY_PER_REQUEST",
        )
    redshift = client("redshift", r)
    redshift.create_cluster(ClusterIdentifier="house", NodeType="ra3.large", MasterUsername="app", MasterUserPassword="Of-a-test-only-1", Encrypted=True, ClusterType="single-node")
    redshift.create_cluster_snapshot(ClusterIdentifier="house", SnapshotIdentifier="house-once")
    for k in range(n):
        client("logs", r).create_log_group(logGroupName=f"/app/{k}")
        client("logs", r).put_retention_policy(logGroupName=f"/app/{k}", retentionInDays=30)
        client("kinesis", r).create_stream(StreamName=f"s-{k}", ShardCount=1)
        client("sqs", r).create_queue(QueueName=f"q-{k}")
        client("sns", r).create_topic(Name=f"t-{k}")
        key(r)
        client("secretsmanager", r).create_secret(Name=f"k-{k}", SecretString="x")
        client("ecr", r).create_repository(repositoryName=f"r-{k}")
        client("efs", r).create_file_system(CreationToken=f"f-{k}", Encrypted=True)
        client("acm", r).request_certificate(DomainName=f"c{k}.example.com")
        client("cloudwatch", r).put_metric_alarm(
            AlarmName=f"a-{k}", MetricName="CPUUtilization", Namespace="AWS/EC2", Statistic="Average", Period=300, EvaluationPeriods=1,
            Threshold=1, ComparisonOperator="GreaterThanThreshold",
        )
        function(r, f"fn-{k}")
        bucket(r, f"bucket-{r}-{k}")
    client("cloudformation", r).create_stack(
        StackName="stack", TemplateBody=json.dumps({"Resources": {"Wait": {"Type": "AWS::CloudFormation::WaitConditionHandle"}}}),
    )
    client("glue", r).create_job(Name="job", Role=role_arn("glue"), Command={"Name": "glueetl"})
    client("sagemaker", r).create_notebook_instance(NotebookInstanceName="book", InstanceType="ml.t3.medium", RoleArn=role_arn("sagemaker"))
    # The stand-in forgets the network of a domain.
    planted[search(r, "search", VPCOptions={"SubnetIds": subnets[:1], "SecurityGroupIds": [group]})] = ["RC-1432"]
    ec2.enable_ebs_encryption_by_default()
    client("guardduty", r).create_detector(Enable=True)
    client("transfer", r).create_server()
    client("mq", r).create_broker(
        BrokerName="broker", EngineType="ACTIVEMQ", EngineVersion="5.17.6", HostInstanceType="mq.t3.micro", DeploymentMode="SINGLE_INSTANCE",
        AutoMinorVersionUpgrade=True, PubliclyAccessible=False, Users=[{"Username": "admin", "Password": "of-a-test-only"}],
    )
    client("kafka", r).create_cluster(
        ClusterName="kafka", KafkaVersion="3.6.0", NumberOfBrokerNodes=3,
        BrokerNodeGroupInfo={"InstanceType": "kafka.t3.small", "ClientSubnets": subnets},
    )
    client("dms", r).create_replication_instance(ReplicationInstanceIdentifier="dms", ReplicationInstanceClass="dms.t3.micro")
    client("dax", r).create_cluster(ClusterName="dax", NodeType="dax.t3.small", ReplicationFactor=1, IamRoleArn=role_arn("dax"))
    client("kinesisanalyticsv2", r).create_application(ApplicationName="flink", RuntimeEnvironment="FLINK-1_18", ServiceExecutionRole=role_arn("flink"))
    client("wafv2", r).create_web_acl(
        Name="acl", Scope="REGIONAL", DefaultAction={"Allow": {}},
        VisibilityConfig={"SampledRequestsEnabled": False, "CloudWatchMetricsEnabled": False, "MetricName": "acl"},
    )
    client("batch", r).create_compute_environment(computeEnvironmentName="batch", type="UNMANAGED", serviceRole=role_arn("batch"))
    client("network-firewall", r).create_firewall(
        FirewallName="wall", FirewallPolicyArn=f"arn:aws:network-firewall:{r}:{account}:firewall-policy/p", VpcId=vpc, SubnetMappings=[{"SubnetId": subnets[0]}],
    )
    client("fsx", r).create_file_system(FileSystemType="LUSTRE", StorageCapacity=1200, SubnetIds=subnets[:1])
    rest = client("apigateway", r)
    api = rest.create_rest_api(name="api")["id"]
    root = rest.get_resources(restApiId=api)["items"][0]["id"]
    rest.put_method(restApiId=api, resourceId=root, httpMethod="GET", authorizationType="NONE")
    rest.put_integration(restApiId=api, resourceId=root, httpMethod="GET", type="MOCK")
    rest.create_deployment(restApiId=api, stageName="live")


def make_global():
    iam = client("iam", "us-east-1")
    for name in ("eks", "node", "lambda", "glue", "sagemaker", "dax", "flink", "batch"):
        iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": []}))
    for name in ("ann", "bob"):
        iam.create_user(UserName=name)
    zones = client("route53", "us-east-1")
    for name in ("a", "b"):
        zones.create_hosted_zone(Name=f"{name}.example.com", CallerReference=name)
    zones.create_health_check(CallerReference="h", HealthCheckConfig={"Type": "HTTP", "IPAddress": "203.0.113.9", "Port": 80})
    client("cloudfront", "us-east-1").create_distribution(
        DistributionConfig={
            "CallerReference": "d", "Comment": "", "Enabled": True,
            "ViewerCertificate": {"ACMCertificateArn": f"arn:aws:acm:us-east-1:{account}:certificate/c", "SSLSupportMethod": "sni-only", "MinimumProtocolVersion": "TLSv1.2_2021"},
            "Origins": {"Quantity": 1, "Items": [{"Id": "o", "DomainName": "bucket.s3.amazonaws.com", "S3OriginConfig": {"OriginAccessIdentity": ""}}]},
            "DefaultCacheBehavior": {"TargetOriginId": "o", "ViewerProtocolPolicy": "https-only", "ForwardedValues": {"QueryString": False, "Cookies": {"Forward": "none"}}},
        }
    )
    bucket("us-east-1", "trail-bucket")
    # The stand-in is asked without encryption, which its policy would deny.
    planted[bucket("us-east-1", "bills", is_closed=False)] = ["RC-1402"]
    client("cloudtrail", "us-east-1").create_trail(Name="trail", S3BucketName="trail-bucket", IsMultiRegionTrail=True)
    client("cloudtrail", "us-east-1").start_logging(Name="trail")
    client("organizations", "us-east-1").create_organization(FeatureSet="ALL")
    # Neither has the root user a second factor nor the account a contact, and its buckets are not closed as a whole.
    planted[account] = ["RC-1403", "RC-1418", "RC-1613"]


def plant(r):
    """One of each that a rule is about, as an account has it by neglect."""
    ec2 = client("ec2", r)
    vpc, subnets, group = network(r, has_flow_logs=False)
    planted[vpc] = ["RC-1425"]
    planted[ec2.allocate_address(Domain="vpc")["AllocationId"]] = ["RC-1305"]
    old = machine(r, subnets[0], tokens="optional")[0]
    planted[old] = ["RC-1417"]
    plain = disk(r, old, encrypted=False)
    planted[plain] = ["RC-1404"]
    shared = ec2.create_image(InstanceId=old, Name="shared")["ImageId"]
    ec2.modify_image_attribute(ImageId=shared, Attribute="launchPermission", OperationType="add", UserGroups=["all"])
    planted[shared] = ["RC-1406"]
    copied = ec2.create_snapshot(VolumeId=plain)["SnapshotId"]
    ec2.modify_snapshot_attribute(SnapshotId=copied, Attribute="createVolumePermission", OperationType="add", GroupNames=["all"])
    planted[copied] = ["RC-1406"]
    planted[key(r, is_rotated=False)] = ["RC-1427"]
    planted[bucket(r, "open-bucket", is_closed=False)] = ["RC-1402"]
    planted[search(r, "public")] = ["RC-1432"]
    planted[database(r, "public", PubliclyAccessible=True)] = ["RC-1407"]
    planted[database(r, "plain", StorageEncrypted=False)] = ["RC-1408"]
    planted[database(r, "lost", BackupRetentionPeriod=0)] = ["RC-1409"]
    called = function(r, "called")
    client("lambda", r).add_permission(FunctionName="called", StatementId="all", Action="lambda:InvokeFunction", Principal="*")
    planted[called] = ["RC-1414"]
    anyone = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "sqs:*", "Resource": "*"}]}
    queue = client("sqs", r).create_queue(QueueName="open", Attributes={"Policy": json.dumps(anyone)})["QueueUrl"]
    planted[client("sqs", r).get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]] = ["RC-1433"]
    scaling = client("autoscaling", r)
    scaling.create_launch_configuration(LaunchConfigurationName="old", ImageId=image, InstanceType="t3.micro")
    scaling.create_auto_scaling_group(AutoScalingGroupName="old", MinSize=0, MaxSize=1, LaunchConfigurationName="old", VPCZoneIdentifier=subnets[0])
    group_of = scaling.describe_auto_scaling_groups(AutoScalingGroupNames=["old"])["AutoScalingGroups"][0]
    planted[group_of["AutoScalingGroupARN"]] = ["RC-1614"]
    user = client("iam", r).create_user(UserName="cleo")["User"]["Arn"]
    client("iam", r).create_login_profile(UserName="cleo", Password="Of-a-test-only-1")
    planted[user] = ["RC-1420"]


def measure(r, namespace, dimensions, **values):
    """The same value at noon of each of the last 14 whole days."""
    noon = datetime.datetime.now(datetime.timezone.utc).replace(hour=12, minute=0, second=0, microsecond=0)
    of = [{"Name": name, "Value": value} for name, value in dimensions.items()]
    client("cloudwatch", r).put_metric_data(
        Namespace=namespace,
        MetricData=[
            {"MetricName": name.replace("_", "."), "Dimensions": of, "Value": value, "Timestamp": noon - datetime.timedelta(days=day)}
            for name, value in values.items()
            for day in range(1, 15)
        ],
    )


def plant_use(r):
    """What is idle, too large, too small or failing by what was measured, and beside it what is not."""
    measured = {}
    idle, large, small = [i["InstanceId"] for v in every(r, "ec2", "describe_instances", "Reservations") for i in v["Instances"]][:3]
    for one, cpu, traffic, rule in [(idle, 1, 1000, "RC-1001"), (large, 20, 1e9, "RC-1101"), (small, 95, 1e9, "RC-1102")]:
        measure(r, "AWS/EC2", {"InstanceId": one}, CPUUtilization=cpu, NetworkIn=traffic, NetworkOut=traffic)
        measured[one] = [rule]
    for name, cpu, connections, rules in [("shop-0", 2, 0, ["RC-1006"]), ("shop-1", 20, 5, ["RC-1117"]), ("shop-2", 60, 5, [])]:
        measure(r, "AWS/RDS", {"DBInstanceIdentifier": name}, CPUUtilization=cpu, DatabaseConnections=connections, ReadIOPS=1, WriteIOPS=1)
        measured[f"arn:aws:rds:{r}:{account}:db:{name}"] = rules
    for name, records, rules in [("s-0", 0, ["RC-1029"]), ("s-1", 100, [])]:
        measure(r, "AWS/Kinesis", {"StreamName": name}, IncomingRecords=records, GetRecords_Records=records)
        measured[f"arn:aws:kinesis:{r}:{account}:stream/{name}"] = rules
    for name, empty, rules in [("q-0", 200_000, ["RC-1160"]), ("q-1", 10, [])]:
        measure(r, "AWS/SQS", {"QueueName": name}, NumberOfEmptyReceives=empty, NumberOfMessagesReceived=10)
        measured[f"arn:aws:sqs:{r}:{account}:{name}"] = rules
    for name, errors, rules in [("fn-0", 10, ["RC-1145"]), ("fn-1", 0, [])]:
        measure(r, "AWS/Lambda", {"FunctionName": name}, Invocations=20, Errors=errors)
        measured[f"arn:aws:lambda:{r}:{account}:function:{name}"] = rules
    measure(r, "AWS/ElastiCache", {"CacheClusterId": "cache"}, CacheHits=0, CacheMisses=0)
    measured[f"arn:aws:elasticache:{r}:{account}:cluster:cache"] = ["RC-1011"]
    measure(r, "AWS/Redshift", {"ClusterIdentifier": "house"}, DatabaseConnections=0)
    measured[f"arn:aws:redshift:{r}:{account}:cluster:house"] = ["RC-1014"]
    measure(r, "AWS/ES", {"DomainName": "search", "ClientId": account}, SearchRate=0, IndexingRate=0)
    measured[f"arn:aws:es:{r}:{account}:domain/search"] = ["RC-1013"]
    measure(r, "AWS/Neptune", {"DBClusterIdentifier": "graph"}, TotalRequestsPerSec=0)
    measured[f"arn:aws:rds:{r}:{account}:cluster:graph"] = ["RC-1016"]
    return measured


def bill(lines):
    """The same hours and cost on each of the last 30 whole days, in a part for each month."""
    today = datetime.datetime.now(datetime.timezone.utc).date()
    months = {}
    for day in (today - datetime.timedelta(days=n) for n in range(1, 31)):
        first = day.replace(day=1)
        for uid, service, category, cost in lines:
            months.setdefault(f"{first:%Y-%m}", []).append({
                "BilledCost": cost, "EffectiveCost": cost, "BillingCurrency": "USD", "BillingPeriodStart": f"{first}T00:00:00Z",
                "ChargePeriodStart": f"{day}T00:00:00Z", "ChargePeriodEnd": f"{day + datetime.timedelta(days=1)}T00:00:00Z",
                "ChargeCategory": "Usage", "PricingCategory": category, "ConsumedQuantity": "24", "ConsumedUnit": "Hours",
                "ServiceName": service, "ProviderName": "AWS", "ResourceId": uid,
            })
    s3 = client("s3", "us-east-1")
    for month, rows in months.items():
        text = io.StringIO()
        table = csv.DictWriter(text, rows[0].keys())
        table.writeheader()
        table.writerows(rows)
        data = f"focus/mine/data/BILLING_PERIOD={month}/mine-00001.csv.gz"
        s3.put_object(Bucket="bills", Key=data, Body=gzip.compress(text.getvalue().encode()))
        manifest = json.dumps({"exportName": "mine", "dataFiles": [f"s3://bills/{data}"]})
        s3.put_object(Bucket="bills", Key=f"focus/mine/metadata/BILLING_PERIOD={month}/mine-Manifest.json", Body=manifest)


def plant_bill(r):
    """What runs all the time at the full price, and beside it what is paid in advance."""
    machines = [i["InstanceId"] for v in every(r, "ec2", "describe_instances", "Reservations") for i in v["Instances"]]
    server = f"arn:aws:rds:{r}:{account}:db:shop-"
    bill([
        (machines[1], "Amazon EC2", "Standard", "0.25"),
        (machines[2], "Amazon EC2", "Committed", "0.15"),
        (f"{server}1", "Amazon RDS", "Standard", "0.40"),
        (f"{server}2", "Amazon RDS", "Committed", "0.30"),
    ])
    return {machines[1]: ["RC-1502"], machines[2]: [], f"{server}1": ["RC-1505"], f"{server}2": []}


def every(r, service, operation, key, **asked):
    """All items of all pages that boto3 itself knows of."""
    c = client(service, r)
    if c.can_paginate(operation):
        return [item for page in c.get_paginator(operation).paginate(**asked) for item in page.get(key) or []]
    return getattr(c, operation)(**asked).get(key) or []


def balancers(r, kind):
    return [b for b in every(r, "elbv2", "describe_load_balancers", "LoadBalancers") if b["Type"] == kind]


def clusters(r, *engines):
    return [c for c in every(r, "rds", "describe_db_clusters", "DBClusters") if c["Engine"] in engines]


def buckets(r):
    c = client("s3", "us-east-1")
    places = [c.get_bucket_location(Bucket=b["Name"])["LocationConstraint"] or "us-east-1" for b in c.list_buckets()["Buckets"]]
    return [p for p in places if p == r]


def within(r, parents, *child):
    return [item for parent in parents for item in every(r, child[0], child[1], child[2], **{child[3]: parent})]


regional = {
    "aws-ec2": lambda r: [i for v in every(r, "ec2", "describe_instances", "Reservations") for i in v["Instances"]],
    "aws-ebs-volume": lambda r: every(r, "ec2", "describe_volumes", "Volumes"),
    "aws-ebs-snapshot": lambda r: every(r, "ec2", "describe_snapshots", "Snapshots", OwnerIds=["self"]),
    "aws-ami": lambda r: every(r, "ec2", "describe_images", "Images", Owners=["self"]),
    "aws-eip": lambda r: every(r, "ec2", "describe_addresses", "Addresses"),
    "aws-nat-gateway": lambda r: every(r, "ec2", "describe_nat_gateways", "NatGateways"),
    "aws-vpc": lambda r: every(r, "ec2", "describe_vpcs", "Vpcs"),
    "aws-security-group": lambda r: every(r, "ec2", "describe_security_groups", "SecurityGroups"),
    "aws-vpc-endpoint": lambda r: every(r, "ec2", "describe_vpc_endpoints", "VpcEndpoints"),
    "aws-tgw-attachment": lambda r: every(r, "ec2", "describe_transit_gateway_attachments", "TransitGatewayAttachments"),
    "aws-vpn-connection": lambda r: every(r, "ec2", "describe_vpn_connections", "VpnConnections"),
    "aws-dedicated-host": lambda r: every(r, "ec2", "describe_hosts", "Hosts"),
    "aws-asg": lambda r: every(r, "autoscaling", "describe_auto_scaling_groups", "AutoScalingGroups"),
    "aws-alb": lambda r: balancers(r, "application"),
    "aws-nlb": lambda r: balancers(r, "network"),
    "aws-clb": lambda r: every(r, "elb", "describe_load_balancers", "LoadBalancerDescriptions"),
    "aws-ecs-cluster": lambda r: every(r, "ecs", "list_clusters", "clusterArns"),
    "aws-ecs-service": lambda r: within(r, every(r, "ecs", "list_clusters", "clusterArns"), "ecs", "list_services", "serviceArns", "cluster"),
    "aws-eks": lambda r: every(r, "eks", "list_clusters", "clusters"),
    "aws-eks-nodegroup": lambda r: within(r, every(r, "eks", "list_clusters", "clusters"), "eks", "list_nodegroups", "nodegroups", "clusterName"),
    "aws-rds": lambda r: every(r, "rds", "describe_db_instances", "DBInstances"),
    # Automated ones go with their database.
    "aws-rds-snapshot": lambda r: every(r, "rds", "describe_db_snapshots", "DBSnapshots", SnapshotType="manual")
    + every(r, "rds", "describe_db_cluster_snapshots", "DBClusterSnapshots", SnapshotType="manual"),
    "aws-aurora-cluster": lambda r: clusters(r, "aurora-postgresql", "aurora-mysql"),
    "aws-neptune": lambda r: clusters(r, "neptune"),
    "aws-elasticache": lambda r: every(r, "elasticache", "describe_cache_clusters", "CacheClusters"),
    "aws-memorydb": lambda r: every(r, "memorydb", "describe_clusters", "Clusters"),
    "aws-dynamodb-table": lambda r: every(r, "dynamodb", "list_tables", "TableNames"),
    "aws-dynamodb-index": lambda r: [
        index
        for name in every(r, "dynamodb", "list_tables", "TableNames")
        for index in client("dynamodb", r).describe_table(TableName=name)["Table"].get("GlobalSecondaryIndexes", [])
    ],
    "aws-redshift": lambda r: every(r, "redshift", "describe_clusters", "Clusters"),
    "aws-redshift-snapshot": lambda r: every(r, "redshift", "describe_cluster_snapshots", "Snapshots"),
    "aws-log-group": lambda r: every(r, "logs", "describe_log_groups", "logGroups"),
    "aws-kinesis-stream": lambda r: every(r, "kinesis", "list_streams", "StreamNames"),
    "aws-sqs-queue": lambda r: every(r, "sqs", "list_queues", "QueueUrls"),
    "aws-sns-topic": lambda r: every(r, "sns", "list_topics", "Topics"),
    "aws-kms-key": lambda r: [
        k
        for k in every(r, "kms", "list_keys", "Keys")
        if client("kms", r).describe_key(KeyId=k["KeyId"])["KeyMetadata"]["KeyManager"] == "CUSTOMER"
    ],
    "aws-secret": lambda r: every(r, "secretsmanager", "list_secrets", "SecretList"),
    "aws-ecr-repository": lambda r: every(r, "ecr", "describe_repositories", "repositories"),
    "aws-efs": lambda r: every(r, "efs", "describe_file_systems", "FileSystems"),
    "aws-acm-certificate": lambda r: every(r, "acm", "list_certificates", "CertificateSummaryList"),
    "aws-cw-alarm": lambda r: every(r, "cloudwatch", "describe_alarms", "MetricAlarms"),
    "aws-lambda": lambda r: every(r, "lambda", "list_functions", "Functions"),
    "aws-s3-bucket": buckets,
    "aws-cfn-stack": lambda r: every(r, "cloudformation", "describe_stacks", "Stacks"),
    "aws-glue-job": lambda r: every(r, "glue", "list_jobs", "JobNames"),
    "aws-sagemaker-notebook": lambda r: every(r, "sagemaker", "list_notebook_instances", "NotebookInstances"),
    "aws-opensearch": lambda r: every(r, "opensearch", "list_domain_names", "DomainNames"),
    "aws-transfer-server": lambda r: every(r, "transfer", "list_servers", "Servers"),
    "aws-mq-broker": lambda r: every(r, "mq", "list_brokers", "BrokerSummaries"),
    "aws-msk": lambda r: every(r, "kafka", "list_clusters", "ClusterInfoList"),
    "aws-dms-instance": lambda r: every(r, "dms", "describe_replication_instances", "ReplicationInstances"),
    "aws-dax": lambda r: every(r, "dax", "describe_clusters", "Clusters"),
    "aws-flink-app": lambda r: every(r, "kinesisanalyticsv2", "list_applications", "ApplicationSummaries"),
    "aws-waf-acl": lambda r: every(r, "wafv2", "list_web_acls", "WebACLs", Scope="REGIONAL"),
    "aws-batch-environment": lambda r: every(r, "batch", "describe_compute_environments", "computeEnvironments"),
    "aws-network-firewall": lambda r: every(r, "network-firewall", "list_firewalls", "Firewalls"),
    "aws-fsx": lambda r: every(r, "fsx", "describe_file_systems", "FileSystems"),
    "aws-apigw-stage": lambda r: [
        stage
        for api in every(r, "apigateway", "get_rest_apis", "items")
        for stage in client("apigateway", r).get_stages(restApiId=api["id"])["item"]
    ],
    "aws-cloudtrail": lambda r: [t for t in every(r, "cloudtrail", "describe_trails", "trailList") if t["HomeRegion"] == r],
}
everywhere = {
    "aws-iam-user": lambda: every("us-east-1", "iam", "list_users", "Users"),
    "aws-route53-zone": lambda: every("us-east-1", "route53", "list_hosted_zones", "HostedZones"),
    "aws-route53-health-check": lambda: every("us-east-1", "route53", "list_health_checks", "HealthChecks"),
    "aws-cloudfront": lambda: client("cloudfront", "us-east-1").list_distributions()["DistributionList"].get("Items", []),
    "aws-account": lambda: [client("sts", "us-east-1").get_caller_identity()["Account"]],
}


def counted():
    counts = {of: {r: len(list_of(r)) for r in regions} for of, list_of in regional.items()}
    counts |= {of: {"global": len(list_of())} for of, list_of in everywhere.items()}
    return {of: {r: n for r, n in by_region.items() if n > 0} for of, by_region in counts.items()}


if __name__ == "__main__":
    make_global()
    for n, region in enumerate(regions):
        make(region, n + 1)
    for region in regions:
        # The stand-in makes a key for disks.
        for one in client("kms", region).list_keys()["Keys"]:
            client("kms", region).enable_key_rotation(KeyId=one["KeyId"])
    plant("eu-west-1")
    print(json.dumps({"counts": counted(), "planted": planted, "measured": plant_use("us-west-2"), "billed": plant_bill("us-west-2")}))
