/**
 * The tables of a release. Numbers take the narrowest type that holds them, GEOIDs are integers,
 * and every route has an index that answers it without a visit to the table (`INCLUDE`) where
 * possible.
 */
export const TABLES = `
CREATE EXTENSION postgis;

CREATE TABLE block (
  geoid bigint NOT NULL,
  population integer,
  land_area bigint,
  -- A bit for each mode id that could not be routed from the block.
  unrouted smallint NOT NULL,
  centre geometry(Point, 4326) NOT NULL
);
CREATE TABLE nearest (
  geoid bigint NOT NULL,
  mode_id smallint NOT NULL,
  dest_type_id smallint NOT NULL,
  tenths smallint NOT NULL
);
CREATE TABLE poi (
  dest_id bigint NOT NULL,
  spatial_rank integer NOT NULL,
  name text NOT NULL,
  lon double precision NOT NULL,
  lat double precision NOT NULL,
  street text, city text, state text, zip text,
  types smallint[] NOT NULL,
  geom geometry(Point, 4326) NOT NULL
);
CREATE TABLE poi_time (
  geoid bigint NOT NULL,
  dest_id bigint NOT NULL,
  mode_id smallint NOT NULL,
  tenths smallint NOT NULL
);
CREATE TABLE place (
  geoid text NOT NULL,
  margin integer NOT NULL,
  geom geometry(MultiPolygon, 4326) NOT NULL
);

-- Updated at every request: room on each page keeps the updates out of the indexes.
CREATE TABLE account (
  id integer PRIMARY KEY,
  balance bigint NOT NULL CHECK (balance >= 0),
  disabled boolean NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE api_key (
  hash text PRIMARY KEY,
  id integer NOT NULL,
  account integer NOT NULL REFERENCES account,
  revoked boolean NOT NULL
);
CREATE TABLE usage (
  account integer NOT NULL,
  day date NOT NULL,
  key integer NOT NULL,
  requests integer NOT NULL,
  tokens bigint NOT NULL,
  PRIMARY KEY (account, day, key)
) WITH (fillfactor = 50);

-- One call for key, account, debit and the day's count. Racing debits never overdraw: the update
-- takes the row's lock, and looks again at the balance that the one before left.
CREATE FUNCTION charge(key_hash text, cost bigint, OUT outcome text, OUT balance bigint)
LANGUAGE plpgsql AS $$
DECLARE
  k api_key;
  is_disabled boolean;
BEGIN
  SELECT * INTO k FROM api_key WHERE hash = key_hash;
  IF NOT FOUND OR k.revoked THEN
    outcome := 'invalid-key';
    RETURN;
  END IF;
  UPDATE account SET balance = account.balance - cost
    WHERE id = k.account AND NOT disabled AND account.balance >= cost
    RETURNING account.balance INTO balance;
  IF NOT FOUND THEN
    SELECT account.balance, disabled INTO balance, is_disabled FROM account WHERE id = k.account;
    outcome := CASE WHEN is_disabled THEN 'account-disabled' ELSE 'tokens-exhausted' END;
    RETURN;
  END IF;
  INSERT INTO usage AS u VALUES (k.account, (now() AT TIME ZONE 'UTC')::date, k.id, 1, cost)
    ON CONFLICT (account, day, key)
    DO UPDATE SET requests = u.requests + 1, tokens = u.tokens + excluded.tokens;
  outcome := 'debited';
END $$;
`;

/**
 * Indexes are built after the rows are loaded: an index built at once is smaller and better packed
 * than one that grew.
 */
export const INDEXES = `
ALTER TABLE block ADD PRIMARY KEY (geoid) INCLUDE (population, land_area);
CREATE INDEX block_centre ON block USING gist (centre);
ALTER TABLE nearest ADD PRIMARY KEY (geoid, mode_id, dest_type_id) INCLUDE (tenths);
CREATE INDEX nearest_areal ON nearest (geoid, dest_type_id, mode_id) INCLUDE (tenths);
CREATE INDEX nearest_of_type ON nearest (dest_type_id, mode_id, geoid) INCLUDE (tenths);
ALTER TABLE poi ADD PRIMARY KEY (dest_id);
CREATE INDEX poi_geom ON poi USING gist (geom);
ALTER TABLE poi_time ADD PRIMARY KEY (geoid, mode_id, dest_id) INCLUDE (tenths);
ALTER TABLE place ADD PRIMARY KEY (geoid);

-- Which blocks have their centre in which place changes with a release only. What sums over a place
-- need of its blocks is beside them.
CREATE TABLE place_block AS
  SELECT place.geoid AS place, block.geoid AS block,
    coalesce(population, 0) AS people, coalesce(land_area, 0) AS land_area, unrouted
  FROM place JOIN block ON ST_Covers(place.geom, block.centre)
  ORDER BY 1, 2;
ALTER TABLE place_block ADD PRIMARY KEY (place, block) INCLUDE (people, land_area, unrouted);
`;

/** Statistics for the planner, and the visibility map that index-only scans need. */
export const SETTLE = 'VACUUM (ANALYZE); CHECKPOINT;';
