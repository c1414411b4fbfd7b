/**
 * Maps categories of Overture's places to leaves of the taxonomy. The names of a label are from the
 * vocabularies that Overture has published (docs.overturemaps.org/guides/places): that of
 * `categories` (list of April 2025), and that of `taxonomy` and `basic_category` (lists of December
 * 2025 and March 2026). A category may map to several leaves. One that is not named belongs where
 * its nearest parent does. `*_x` matches every category that ends in `_x` and is not named
 * elsewhere.
 *
 * Intentionally missing: parks, recreation grounds and protected areas, because a point gives
 * neither their size nor their entrances, while OSM draws their outlines; running tracks, which
 * Overture does not distinguish from race tracks; and frequent transit, which is derived from
 * timetables. The lists since December 2025 have no supermarkets: they are grocery stores there.
 */
export const OVERTURE_CATEGORIES: Readonly<Record<string, readonly string[]>> = {
  grocery_stores: of('grocery_store *_grocery_store ethical_grocery supermarket superstore'),
  supermarkets: of('supermarket'),
  convenience_stores: of('convenience_store'),
  bakeries: of(`
    bakery patisserie_cake_shop cupcake_shop custom_cakes_shop pie_shop macarons macaron_shop
    chimney_cake_shop
  `),
  fresh_food_shops: of(`
    butcher_shop meat_shop fishmonger seafood_market cheese_shop delicatessen
    fruits_and_vegetables produce_store
  `),
  marketplaces: of('market farmers_market public_market night_market bazaars bazaar'),

  wholesale_clubs: of('wholesale_store warehouse_club_store wholesale_grocer'),
  health_food_shops: of('health_food_store'),

  restaurants: of(`
    restaurant *_restaurant bistro brasserie diner steakhouse pancake_house cafeteria gastropub
    soul_food poke empanadas tapas_bar supper_club
  `),
  cafes: of(`
    cafe coffee_shop coffee_roastery tea_room hong_kong_style_cafe bubble_tea bubble_tea_shop
    smoothie_juice_bar
  `),
  fast_food: of(`
    fast_food_restaurant food_court sandwich_shop bagel_shop bagel_restaurant donuts donut_shop
    doner_kebab doner_kebab_restaurant friterie acai_bowls pizza_delivery_service
  `),
  bars_and_pubs: of(`
    bar pub irish_pub brewery beer_garden lounge speakeasy dance_club beach_bar beer_bar
    champagne_bar cigar_bar cocktail_bar dive_bar gay_bar hookah_bar hotel_bar piano_bar sake_bar
    sports_bar tiki_bar whiskey_bar wine_bar salsa_club
  `),
  ice_cream: of(`
    ice_cream_shop ice_cream_and_frozen_yoghurt gelato gelato_shop frozen_yoghurt_shop
    frozen_yogurt_shop shaved_ice_shop shaved_snow_shop
  `),

  elementary_schools: of('elementary_school'),
  middle_schools: of('middle_school'),
  high_schools: of('high_school'),
  schools_level_unknown: of('school public_school charter_school'),
  kindergartens: of('preschool kindergarten'),
  // Overture has one category for colleges and universities.
  colleges: of('college_university'),
  universities: of('college_university'),
  childcare: of('child_care_and_day_care day_care_preschool'),
  private_schools: of('private_school religious_school montessori_school waldorf_school'),

  hospitals: of('hospital childrens_hospital specialty_hospital'),
  clinics: of(`
    medical_center outpatient_care_facility primary_care_or_general_clinic walk_in_clinic
    urgent_care_clinic community_health_center public_health_clinic
    womens_health_clinic reproductive_perinatal_and_womens_care
  `),
  doctors: of(`
    doctor doctors_office family_practice pediatrician pediatric_clinic specialized_health_care
    internal_medicine allergist cardiologist dermatologist ear_nose_and_throat endocrinologist
    gastroenterologist geriatric_medicine nephrologist neurologist oncologist ophthalmologist
    ophthalmology obstetrician_and_gynecologist obstetrics_and_gynecology orthopedist
    osteopath osteopathic_physician osteopathic_medicine podiatrist podiatry psychiatrist psychiatry pulmonologist rheumatologist
    dermatology sports_medicine urologist
  `),
  dentists: of(`
    dentist dental_clinic general_dentistry cosmetic_dentist pediatric_dentist orthodontist
    endodontist periodontist prosthodontist oral_surgeon
    oral_and_maxillofacial_surgery
  `),
  pharmacies: of('pharmacy drugstore pharmacy_and_drug_store'),
  optometrists: of(`
    optometrist optometry eye_care_clinic vision_or_eye_care_clinic eyewear_and_optician
    eyewear_store
  `),
  veterinarians: of('veterinarian veterinary_care animal_hospital emergency_pet_hospital'),

  gardens: of('botanical_garden community_garden community_gardens'),
  nature_reserves: of('nature_reserve'),
  dog_parks: of('dog_park'),
  beaches: of('beach'),

  libraries: of('library'),
  museums: of('museum *_museum art_gallery'),
  theatres: of('theatre theatre_venue theaters_and_performance_venues'),
  cinemas: of('cinema movie_theater'),
  arts_centres: of('cultural_center'),
  community_centres: of('community_center civic_center'),

  zoos: of('zoo aquarium petting_zoo'),

  post_offices: of('post_office'),
  banks: of('bank banks credit_union bank_credit_union bank_or_credit_union'),
  cash_machines: of('atm atms'),
  courthouses: of('courthouse'),
  food_banks: of('food_bank food_banks'),
  hairdressers: of(`
    hair_salon kids_hair_salon hair_stylist blow_dry_blow_out_service barber beauty_salon
    nail_salon
  `),
  laundries: of('laundromat dry_cleaning laundry_service laundry_services'),
  hardware_stores: of('hardware_store home_improvement_store do_it_yourself_store'),
  clothes_shops: of(`
    clothing_store *_clothing_store boutique fashion_boutique designer_clothing lingerie_store
    denim_wear_store formal_wear_store maternity_wear t_shirt_store shoe_store
    orthopedic_shoe_store plus_size_clothing
  `),
  bookshops: of('bookstore *_bookstore comic_books_store'),
  bike_shops: of('bicycle_shop bike_store'),
  town_halls: of('town_hall'),
  police_and_fire: of('police_department police_station fire_department fire_station'),
  department_stores: of('department_store superstore discount_store shopping_center shopping_mall'),

  playgrounds: of('playground'),
  gyms: of('gym rock_climbing_gym fitness_studio yoga_studio pilates_studio'),
  swimming_pools: of('swimming_pool water_park'),
  sports_pitches: of(`
    sport_court sport_field
    american_football_field baseball_field hockey_field soccer_field futsal_field rugby_pitch
    basketball_court beach_volleyball_court bocce_ball_court handball_court tennis_court
    volleyball_court
  `),
  stadiums: of('stadium_arena *_stadium hockey_arena'),
  golf_courses: of('golf_course'),

  // Some releases do spell it `worshop`.
  churches: of(`
    church_cathedral *_church anglican_church baptist_church catholic_church episcopal_church
    evangelical_church pentecostal_church christian_place_of_worship christian_place_of_worshop
    jehovahs_witness_kingdom_hall
  `),
  synagogues: of('synagogue jewish_place_of_worship'),
  mosques: of('mosque muslim_place_of_worship'),
  temples: of(`
    temple buddhist_temple hindu_temple sikh_temple shinto_shrines buddhist_place_of_worship
    hindu_place_of_worship sikh_place_of_worship shinto_shrine
  `),
  other_worship: of('place_of_worship'),

  bus_stops: of('bus_station'),
  rail_stations: of(`
    train_station metro_station light_rail_and_subway_station light_rail_and_subway_stations
  `),
  bike_rental: of(`
    bike_rental bike_rentals bike_sharing bike_sharing_location bicycle_sharing_location
  `),
  ferry_terminals: of('ferry_service'),
};

/** Categories that belong to no leaf, although a parent or the `basic_category` does. */
export const WITHOUT_LEAF: readonly string[] = of(`
  airport_lounge internet_cafe drive_in_theater
  health_market market_stall shopping_passage street_vendor
  sunglasses_store welding_supply_store
  swimming_instructor driving_range airsoft_field badminton_court disc_golf_course
  racquetball_court squash_court
  alternative_medicine complementary_and_alternative_medicine naturopathic_holistic
  homeopathic_medicine counseling_and_mental_health behavioral_or_mental_health_clinic
  physical_medicine_and_rehabilitation diagnostic_services diagnostic_service
  diagnostics_imaging_or_lab_service pathologist radiologist bulk_billing
  doula_service lactation_service midwifery fertility fertility_clinic
  emergency_medicine surgeon cosmetic_surgeon plastic_surgeon spine_surgeon
  laser_eye_surgery_lasik refractive_surgery_or_lasik pet_hospice animal_physical_therapy
  audiologist audiology nurse_practitioner nursing skilled_nursing lice_treatment
  aesthetician body_contouring medical_skin_care tattoo_removal
`);

/**
 * Leaves that Overture fills wherever people live, by the number of places among which about twenty
 * of each are to be expected, or more: by its places world-wide of December 2025. Leaves that
 * depend on faith, coast or railways, rare ones, and schools of unknown level, which their names
 * may tell, are not among them.
 */
export const EXPECTED_AMONG: readonly (readonly [places: number, leaves: readonly string[]])[] = [
  [
    2_000,
    of(`
      restaurants hairdressers clothes_shops cafes bars_and_pubs churches grocery_stores doctors
      banks dentists
    `),
  ],
  [
    5_000,
    of(`
      gyms fast_food pharmacies bakeries convenience_stores hospitals elementary_schools
      department_stores hardware_stores cash_machines fresh_food_shops optometrists
    `),
  ],
  [
    10_000,
    of(`
      colleges universities museums kindergartens post_offices clinics ice_cream veterinarians
      high_schools laundries police_and_fire bookshops libraries
    `),
  ],
  [
    25_000,
    of(`
      wholesale_clubs childcare stadiums sports_pitches community_centres bike_shops town_halls
      swimming_pools health_food_shops private_schools middle_schools cinemas marketplaces theatres
    `),
  ],
  [100_000, of('arts_centres playgrounds golf_courses courthouses')],
];

function of(categories: string): readonly string[] {
  return categories.trim().split(/\s+/);
}
